"""How are hands between strategy tables played in compiled code?"""
