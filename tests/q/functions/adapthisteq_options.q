x = mod(reshape(0..4095, 64, 64)*7, 61)
print isequal(adapthisteq(x, "ClipLimit", 0.02, "NumTiles", [4, 4]), adapthisteq(x, [4, 4], 0.02)), isequal(adapthisteq(x, "clipLimit", 0.01), adapthisteq(x))
% out: 11
