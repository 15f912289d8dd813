"""What does each command of `limpet` take and print?"""
