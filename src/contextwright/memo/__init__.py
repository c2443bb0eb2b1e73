"""What is remembered to save time: by owner, in generations, under one budget in bytes."""
