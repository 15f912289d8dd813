"""How do Limpet's values look as JSON for a page?"""
