"""What a match says of its players beyond the chips: corrections that take luck out without taking sides."""
