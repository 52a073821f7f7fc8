% Filters and morphology out of the built-in ones.

% low-pass filter with a Gaussian of standard deviation sigma, on n by n pixels (as many as matter if n is 0)
% > print size(gaussian_filter(ones(5,5), 1))
function y = gaussian_filter(x, sigma, n = 0, boundary = "mirror")
    if n < 1
        n = 2 * ceil(3 * sigma) + 1
    endif
    n = max(1, int(n))
    at = (0..n-1) - int(n / 2)
    g = exp(-(at ./ max(sigma, 1e-6)) .^ 2 ./ 2)
    g = g ./ sum(g)
    y = imfilter(imfilter(x, reshape(g, [1, n]), [], boundary), reshape(g, [n, 1]), [], boundary)
end

% median of the pixels at most r rows and columns away
% > print immedfilt([[1,1,1],[1,9,1],[1,1,1]])
function y = immedfilt(x, r = 1, boundary = "mirror")
    y = medfilt2(x, 2 * int(r) + 1, boundary)
end

% opening: erosion, then dilation; removes bright spots in which the mask does not fit
% > print imopen([[0,0,0],[0,9,0],[0,0,0]])
function y = imopen(x, mask = ones(3,3), center = [])
    y = imdilate(imerode(x, mask, center), mask, center)
end

% closing: dilation, then erosion; fills dark spots in which the mask does not fit
% > print imclose([[1,1,1],[1,0,1],[1,1,1]])
function y = imclose(x, mask = ones(3,3), center = [])
    y = imerode(imdilate(x, mask, center), mask, center)
end

% the least powers of two that are not less than the numbers
% > print nextpow2(100)
function y = nextpow2(x)
    y = 2 .^ ceil(log(max(x, 1)) ./ log(2) - 1e-6)
end

% logarithm of the absolute value of the determinant
% > print logdet([[2,0],[0,3]])
function y = logdet(x)
    [_, u, _] = lu(x)
    y = sum(log(abs(diag(u))))
end
