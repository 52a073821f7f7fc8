sound(sin(0..99), 8000)
