"""What every other folder shares, public inside the package: import the module that you need."""
