"""How do learners of other libraries take seats at our table?"""
