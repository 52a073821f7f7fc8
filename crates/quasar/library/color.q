% Colour spaces. Images are cubes with three channels.

% light (0 to 1) of sRGB values (0 to 1), which are stored by a curve close to a power of 2.2
% > print round(1000 .* rgb2lin([0, 0.02, 0.5, 1]))
function y = rgb2lin(x)
    y = (x <= 0.04045) .* (x ./ 12.92) + (x > 0.04045) .* ((max(x, 0) + 0.055) ./ 1.055) .^ 2.4
end

% sRGB values (0 to 1) of light: the inverse of rgb2lin
% > print round(1000 .* lin2rgb([0, 0.002, 0.2, 1]))
function y = lin2rgb(x)
    y = (x <= 0.0031308) .* (12.92 .* x) + (x > 0.0031308) .* (1.055 .* max(x, 0) .^ (1/2.4) - 0.055)
end

% the name that Quasar's own programs have for rgb2lin
% > print round(1000 .* sRGB_decode(0.5))
function y = sRGB_decode(x)
    y = rgb2lin(x)
end

% the name that Quasar's own programs have for lin2rgb
% > print round(1000 .* sRGB_encode(0.2))
function y = sRGB_encode(x)
    y = lin2rgb(x)
end

% CIE L*a*b* (white D65) of an sRGB image with values 0 to 1; L lies in 0 to 100
% > print round(rgb2lab(ones(1,1,3)))
function y = rgb2lab(x)
    c = rgb2lin(x)
    [r, g, b] = [c[:,:,0], c[:,:,1], c[:,:,2]]
    fx = _lab_curve((0.4124564 .* r + 0.3575761 .* g + 0.1804375 .* b) ./ 0.95047)
    fy = _lab_curve(0.2126729 .* r + 0.7151522 .* g + 0.0721750 .* b)
    fz = _lab_curve((0.0193339 .* r + 0.1191920 .* g + 0.9503041 .* b) ./ 1.08883)
    y = zeros(size(x))
    y[:,:,0] = 116 .* fy - 16
    y[:,:,1] = 500 .* (fx - fy)
    y[:,:,2] = 200 .* (fy - fz)
end

function y = _lab_curve(t)
    y = (t > 0.008856452) .* max(t, 0) .^ (1/3) + (t <= 0.008856452) .* (7.787037 .* t + 16/116)
end

% inverse of rgb2lab
% > print round(lab2rgb(rgb2lab(ones(1,1,3))))
function y = lab2rgb(x)
    fy = (x[:,:,0] + 16) ./ 116
    u = 0.95047 .* _lab_line(fy + x[:,:,1] ./ 500)
    v = _lab_line(fy)
    w = 1.08883 .* _lab_line(fy - x[:,:,2] ./ 200)
    c = zeros(size(x))
    c[:,:,0] = 3.2404542 .* u - 1.5371385 .* v - 0.4985314 .* w
    c[:,:,1] = 1.8760108 .* v - 0.9692660 .* u + 0.0415560 .* w
    c[:,:,2] = 0.0556434 .* u - 0.2040259 .* v + 1.0572252 .* w
    y = lin2rgb(c)
end

function t = _lab_line(f)
    t = (f > 0.20689655) .* f .^ 3 + (f <= 0.20689655) .* ((f - 16/116) ./ 7.787037)
end

% luma and colour differences (BT.601) of an image in the same unit; the differences lie around 0
% > print rgb2ycbcr(ones(1,1,3))
function y = rgb2ycbcr(x)
    [r, g, b] = [x[:,:,0], x[:,:,1], x[:,:,2]]
    luma = 0.299 .* r + 0.587 .* g + 0.114 .* b
    y = zeros(size(x))
    y[:,:,0] = luma
    y[:,:,1] = (b - luma) ./ 1.772
    y[:,:,2] = (r - luma) ./ 1.402
end

% inverse of rgb2ycbcr
% > print ycbcr2rgb(rgb2ycbcr(ones(1,1,3)))
function y = ycbcr2rgb(x)
    [luma, cb, cr] = [x[:,:,0], x[:,:,1], x[:,:,2]]
    y = zeros(size(x))
    y[:,:,0] = luma + 1.402 .* cr
    y[:,:,1] = luma - (0.114 * 1.772 / 0.587) .* cb - (0.299 * 1.402 / 0.587) .* cr
    y[:,:,2] = luma + 1.772 .* cb
end

% bytes 0 to 255 as numbers of the same value
% > print uint8_to_float([1,255])
function y = uint8_to_float(x)
    y = float(x)
end

% numbers of 16 bits as numbers of the same value
% > print uint16_to_float([1,65535])
function y = uint16_to_float(x)
    y = float(x)
end

% rounded and clipped to 0 to 255
% > print float_to_uint8([-3,99.6,300])
function y : cube[uint8] = float_to_uint8(x)
    y = max(0, min(255, round(x)))
end
