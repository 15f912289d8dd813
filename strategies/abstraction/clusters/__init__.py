"""Which hands of one street are alike: in strength, in how strong they may become, or in which hands they beat?"""
