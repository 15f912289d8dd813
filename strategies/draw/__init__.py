"""How is five-card draw trained, stored, played and measured?"""
