"""Match logs read, summed up, filtered and watched."""
