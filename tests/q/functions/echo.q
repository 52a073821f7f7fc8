echo("off")
echo()
