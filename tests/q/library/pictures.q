% Functions of the library that are written in the language: colour spaces, filters, morphology.
white = rgb2lab(ones(1,1,3))
red = zeros(1,1,3)
red[0,0,0] = 1
print round(white), round(10*rgb2lab(red))
x = reshape((0..11) ./ 11, [2,2,3])
print max(abs(lab2rgb(rgb2lab(x)) - x)) < 0.001, max(abs(ycbcr2rgb(rgb2ycbcr(x)) - x)) < 0.0001
print rgb2ycbcr(ones(1,1,3))[0,0,0]
spot = zeros(5,5)
spot[2,2] = 1
g = gaussian_filter(spot, 0.8, 3)
print sum(g), g[2,2] > g[2,1], g[0,0], size(gaussian_filter(spot, 1.0))
print gaussian_filter([1,1,1], 2.0, 0, "clamped")
print immedfilt(spot), immedfilt([1,2,9,2,1], 1)
bars = zeros(1,7)
bars[0,1] = 1
bars[0,3..5] = 1
print imopen(bars, ones(1,3)), imclose(bars, ones(1,3))
print imerode([1,2,3,4], ones(1,2), [0,0]), imerode([1,2,3,4], ones(1,2), [0,1]), imdilate([1,2,3,4], ones(1,2), [0,0])
print nextpow2(3)
print round(1000*logdet([[2,1],[1,3]])), uint8_to_float(uint8(7)) / 2
save("four.csv", [[1,2],[3,4]])
print csvread("four.csv")
function y = nextpow2(x)
    y = -x
end
% out: [[[100, 0, 0]]][[[532, 801, 672]]]
% out: 11
% out: 1
% out: 110[5, 5]
% out: [1, 1, 1]
% out: [[0, 0, 0, 0, 0],
% out:  [0, 0, 0, 0, 0],
% out:  [0, 0, 0, 0, 0],
% out:  [0, 0, 0, 0, 0],
% out:  [0, 0, 0, 0, 0]][2, 2, 2, 2, 2]
% out: [0, 0, 0, 1, 1, 1, 0][1, 1, 1, 1, 1, 1, 1]
% out: [1, 2, 3, 4][1, 1, 2, 3][2, 3, 4, 4]
% out: -3
% out: 16093.5
% out: [[1, 2],
% out:  [3, 4]]
