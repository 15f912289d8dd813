"""Where does the command `limpet` begin?"""
