"""Where Quasar and NumPy differ for odd input: why, and what Quasar gives. compare.py compares it and writes this table."""

ORDER = "complex numbers have no order here, as the specification says; NumPy compares real parts first"
REAL = "a function of real numbers, here and in MATLAB; NumPy has a value for complex ones or drops the imaginary part"
DEFINED = "the peer refuses or does not end; the definition of the function has a value, or hands NaN on"
NOTHING = "of no elements there is no value: an error that says so; NumPy gives NaN or an empty array"
FEW = "too few elements for the function: an error that says so; NumPy gives NaN, or a value of the padding"
NAN = "NaN in the input is an error that says so; NumPy hands NaN on"
SKIPS = "extremes leave NaN out and comparisons with it are false, as in MATLAB; where sums are made at once it spreads over all of them"
SIZE = "one element or none has a value or a size of its own, as in MATLAB: a deviation of 0, a vector of one; NumPy has another"
QUESTION = "the row expects what holds for its own kinds of input only; for this one the answer is another, also in MATLAB"
PARTS = "real and imaginary part are rounded by themselves, halves away from zero"
MOMENT = "sums of powers of the numbers themselves; the peer takes magnitudes or has no value"
OTHER = "the other factor of the product is conjugated, as in MATLAB"
PROJECTED = "the real part of what is transformed back, as for a real picture; the peer keeps both"
BELOW = "numbers below 0 have complex values, which an error says; complex(x) has them, and NumPy gives NaN"
TODO = "TODO"


def reason(kind, mine, wanted):
    """The reason that a new difference most often has, to be read by somebody."""
    error = mine.startswith("error")
    if not error:
        return DEFINED if isinstance(wanted, str) else SKIPS if kind == "nan" else SIZE if kind in ("empty", "one") else TODO
    if kind == "complex":
        return ORDER if "order" in mine else REAL
    return {"empty": NOTHING, "one": FEW, "nan": NAN}.get(kind, TODO)


DIFFERING = {
    'round': {
        "complex": (PARTS, '9: -0-0j 1-1j 0-1j -1-1j'),
    },
    'asinh': {
        "complex": (REAL, '9: -0.36061-0.15946j 0.85536-0.44414j 0.34629-1.0094j -0.56333-0.50039j'),
    },
    'atanh': {
        "complex": (REAL, "error: 'min' is not defined for complex numbers"),
    },
    'expm1': {
        "complex": (REAL, "error: 'max' is not defined for complex numbers"),
    },
    'deg2rad': {
        "complex": (DEFINED, '9: -0.0064582-0.0028558j 0.01735-0.0090088j 0.0072581-0.021157j -0.010789-0.0095836j'),
    },
    'rad2deg': {
        "complex": (DEFINED, '9: -21.201-9.3751j 56.957-29.574j 23.827-69.453j -35.418-31.461j'),
    },
    'asind': {
        "complex": (DEFINED, '9: -20.989-8.7974j 53.283-19.084j 50.644-74.295j -37.659-26.769j'),
    },
    'acosd': {
        "complex": (DEFINED, '9: 110.99+8.7974j 36.717+19.084j 39.356+74.295j 127.66+26.769j'),
    },
    'atand': {
        "complex": (DEFINED, '9: -20.753-8.2794j 48.649-14.17j 63.839-45.065j -37.823-22.324j'),
    },
    'hypot3': {
        "complex": (REAL, "error: 'hypot' is not defined for complex numbers"),
    },
    'clamp': {
        "nan": (SKIPS, '9: 0 0.99408 0.41586 0'),
        "complex": (REAL, "error: argument 1 of 'clamp' needs real numbers, not a 'cvec'"),
    },
    'gcd': {
        "nan": (NAN, "error: 'gcd' needs whole numbers from 0, not NaN"),
    },
    'lcm': {
        "nan": (NAN, "error: 'lcm' needs whole numbers from 0, not NaN"),
    },
    'bitand': {
        "nan": (NAN, 'error: value NaN does not fit in int'),
    },
    'bitor': {
        "nan": (NAN, 'error: value NaN does not fit in int'),
    },
    'bitxor': {
        "nan": (NAN, 'error: value NaN does not fit in int'),
    },
    'max: max(x,y)': {
        "nan": (SKIPS, '9: 0.63145 0.99408 0.59348 -1.45'),
        "complex": (REAL, "error: 'max' is not defined for complex numbers"),
    },
    'min: min(x,y)': {
        "nan": (SKIPS, '9: -0.37002 -0.56183 0.41586 -1.45'),
        "complex": (REAL, "error: 'min' is not defined for complex numbers"),
    },
    'erf': {
        "complex": (REAL, "error: 'erf' is not defined for complex numbers"),
    },
    'erfc': {
        "complex": (REAL, "error: 'erfc' is not defined for complex numbers"),
    },
    'erfcx': {
        "complex": (REAL, "error: 'erfcx' is not defined for complex numbers"),
    },
    'psi': {
        "complex": (REAL, "error: 'psi' is not defined for complex numbers"),
    },
    'median': {
        "complex": (REAL, "error: 'median' is not defined for complex numbers"),
    },
    'median_dim': {
        "complex": (REAL, "error: 'median' is not defined for complex numbers"),
    },
    'var': {
        "complex": (REAL, "error: 'var' is not defined for complex numbers"),
    },
    'std': {
        "complex": (REAL, "error: 'std' is not defined for complex numbers"),
    },
    'max: max(x)': {
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'min: min(x)': {
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'cummax': {
        "nan": (SKIPS, '9: -0.37002 0.99408 0.99408 0.99408'),
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'cummin': {
        "nan": (SKIPS, '9: -0.37002 -0.37002 -0.37002 -0.37002'),
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'any': {
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'all': {
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'range': {
        "nan": (SKIPS, '1: 2.4441'),
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'skewness': {
        "complex": (MOMENT, '1: -0.18759-0.20513j'),
    },
    'kurtosis': {
        "complex": (MOMENT, '1: 0.45166-0.82065j'),
    },
    'zscore': {
        "one": (SIZE, '1: 0'),
        "complex": (REAL, "error: 'std' is not defined for complex numbers"),
    },
    'quantile': {
        "empty": (DEFINED, '3: nan nan nan'),
        "nan": (SKIPS, '3: -1.1836 0.50467 0.8975'),
    },
    'prctile': {
        "empty": (DEFINED, '3: nan nan nan'),
        "nan": (SKIPS, '3: -1.45 0.50467 0.99408'),
    },
    'cov': {
        "one": (SIZE, '1: 0'),
        "complex": (OTHER, '25: 1.5019+0j 0.69333+0.46358j 0.0226+0.20366j -1.2624-1.3569j'),
    },
    'corrcoef': {
        "empty": (SIZE, '1: 1'),
        "one": (SIZE, '1: 1'),
        "complex": (OTHER, '25: 1+0j 0.55877+0.37361j 0.012834+0.11566j -0.63276-0.68014j'),
    },
    'nanmax': {
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'nanmin': {
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'gradient': {
        "empty": (DEFINED, '0:'),
        "one": (DEFINED, '1: 0'),
    },
    'cumtrapz': {
        "empty": (DEFINED, '0:'),
    },
    'union': {
        "nan": (SKIPS, '7: -3 -2 -1 0'),
    },
    'accumarray': {
        "complex": (DEFINED, '4: 0.059406 -1.0829 -0.41369 -0.0509'),
    },
    'histc': {
        "complex": (REAL, "error: argument 1 of 'histc' needs real numbers, not a 'cvec'"),
    },
    'hankel': {
        "nan": (SKIPS, '81: -0.37002 0.99408 0.41586 nan'),
    },
    'arrayfun': {
        "complex": (REAL, "error: cannot store a 'cscalar' in 'r', whose elements are 'scalar'"),
    },
    'pdist2': {
        "nan": (SKIPS, '25: 2.391 2.9037 1.0018 0'),
        "complex": (REAL, "error: 'max' is not defined for complex numbers"),
    },
    'movmax': {
        "nan": (SKIPS, '9: 0.99408 0.99408 0.99408 0.67214'),
        "complex": (REAL, "error: 'max' is not defined for complex numbers"),
    },
    'movmin': {
        "nan": (SKIPS, '9: -0.37002 -0.37002 0.41586 0.41586'),
        "complex": (REAL, "error: 'max' is not defined for complex numbers"),
    },
    'movmedian': {
        "complex": (REAL, "error: 'median' is not defined for complex numbers"),
    },
    'append_row': {
        "empty": (NOTHING, "error: index 0 is out of bounds in 'x', which is empty"),
    },
    'column_range': {
        "empty": (NOTHING, "error: index 2 is out of bounds in 'c', which is empty"),
        "one": (FEW, "error: index 2 is out of bounds (0..0) in 'c'"),
    },
    'squeeze': {
        "empty": (NOTHING, 'error: an array of size 1x0 cannot be reshaped to 1x9'),
        "one": (FEW, 'error: an array of size 1x1 cannot be reshaped to 1x9'),
    },
    'find': {
        "empty": (NOTHING, 'error: index 1 is out of bounds in array, which is empty'),
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'histcounts': {
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'histogram': {
        "complex": (REAL, "error: 'cscalar' elements cannot be converted to 'scalar'"),
    },
    'hist': {
        "one": (SIZE, '5: 1 0 0 0'),
        "nan": (DEFINED, '5: 2 1 1 1'),
    },
    'rescale': {
        "one": (SIZE, '1: -1'),
        "nan": (SKIPS, '9: 0.32566 2 1.2903 nan'),
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'iqr': {
        "empty": (DEFINED, '1: nan'),
        "nan": (SKIPS, '1: 1.1177'),
    },
    'std2': {
        "one": (SIZE, '1: 0'),
        "complex": (REAL, "error: 'std' is not defined for complex numbers"),
    },
    'rank': {
        "nan": (DEFINED, '1: 5'),
    },
    'cond': {
        "empty": (DEFINED, '1: 0'),
        "complex": (REAL, "error: 'cond' is not defined for complex matrices"),
    },
    'expm': {
        "nan": (NAN, "error: 'expm' of a matrix with infinite elements or NaN"),
    },
    'svd': {
        "empty": (NOTHING, "error: argument 1 of 'svd' needs a matrix with elements, not a 'mat'"),
    },
    'svd_parts': {
        "empty": (NOTHING, "error: argument 1 of 'svd' needs a matrix with elements, not a 'mat'"),
        "nan": (NAN, "error: 'svd' of a matrix with infinite elements or NaN"),
    },
    'eig_vectors': {
        "nan": (NAN, "error: 'eig' of a matrix with infinite elements or NaN"),
    },
    'qr': {
        "nan": (NAN, "error: 'qr' of a matrix with infinite elements or NaN"),
        "complex": (REAL, "error: 'qr' is not defined for complex matrices"),
    },
    'qr_factor': {
        "nan": (NAN, "error: 'qr' of a matrix with infinite elements or NaN"),
        "complex": (REAL, "error: 'qr' is not defined for complex matrices"),
    },
    'lu': {
        "nan": (NAN, "error: 'lu' of a matrix with infinite elements or NaN"),
        "complex": (REAL, "error: 'lu' is not defined for complex matrices"),
    },
    'lu_factor': {
        "complex": (REAL, "error: 'lu' is not defined for complex matrices"),
    },
    'symeig': {
        "complex": (REAL, "error: 'symeig' is not defined for complex matrices"),
    },
    'mldivide_least': {
        "empty": (NOTHING, "error: index 0 is out of bounds in 'x', which is empty"),
        "one": (FEW, "error: index 1 is out of bounds (0..0) in 'x'"),
        "complex": (REAL, "error: 'mldivide' is not defined for complex matrices"),
    },
    'logdet': {
        "nan": (NAN, "error: 'lu' of a matrix with infinite elements or NaN"),
        "complex": (REAL, "error: 'lu' is not defined for complex matrices"),
    },
    'compan': {
        "complex": (REAL, "error: cannot store a 'cscalar' in 'y', whose elements are 'scalar'"),
    },
    'csr_solve': {
        "complex": (REAL, "error: argument 4 of 'csr_solve' needs 2 real numbers, or rows of them, not a 'cvec'"),
    },
    'chol': {
        "nan": (NAN, "error: 'chol' needs a positive definite matrix"),
    },
    'orth': {
        "empty": (SIZE, '0:'),
        "one": (SIZE, '1: 1'),
        "nan": (NAN, "error: 'orth' of a matrix with infinite elements or NaN"),
        "complex": (REAL, "error: 'orth' is not defined for complex matrices"),
    },
    'polyfit': {
        "nan": (DEFINED, '4: nan nan nan nan'),
        "complex": (REAL, "error: 'polyfit' is not defined for complex numbers"),
    },
    'polyder': {
        "empty": (SIZE, '1: 0'),
        "one": (SIZE, '1: 0'),
    },
    'roots_none': {
        "random": (QUESTION, '8: -1.3912+0j -0.37878-0.7073j -0.37878+0.7073j 0.096237-0.90768j'),
        "complex": (QUESTION, '8: -1.4368+0.27018j -0.62748-0.60915j -0.4676+0.93861j 0.026923-1.1046j'),
    },
    'deconv': {
        "empty": (NOTHING, "error: argument 1 of 'conv' needs vectors or matrices, not a 'vec'"),
        "nan": (SKIPS, '9: -0.37002 0.99408 0.41586 nan'),
    },
    'pca': {
        "empty": (NOTHING, "error: argument 1 of 'svd' needs a matrix with elements, not a 'mat'"),
        "one": (FEW, "error: 'max' of an empty array"),
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'fft': {
        "empty": (DEFINED, '0:'),
    },
    'ifft': {
        "empty": (DEFINED, '0:'),
    },
    'fft2': {
        "empty": (DEFINED, '0:'),
    },
    'ifft2': {
        "empty": (DEFINED, '0:'),
    },
    'dct': {
        "empty": (DEFINED, '0:'),
        "complex": (REAL, "error: 'dct' is not defined for complex numbers"),
    },
    'dct2': {
        "empty": (DEFINED, '0:'),
        "complex": (REAL, "error: 'dct' is not defined for complex numbers"),
    },
    'dctmtx': {
        "one": (QUESTION, '25: 0.31305 0.31305 0.31305 0.31305'),
    },
    'idct': {
        "empty": (DEFINED, '0:'),
        "complex": (REAL, "error: 'idct' is not defined for complex numbers"),
    },
    'idct2': {
        "empty": (DEFINED, '0:'),
        "complex": (REAL, "error: 'idct' is not defined for complex numbers"),
    },
    'fft1': {
        "empty": (DEFINED, '0:'),
    },
    'ifft1': {
        "empty": (DEFINED, '0:'),
    },
    'cconv': {
        "one": (QUESTION, '9: 0.49 0 0 0'),
        "complex": (QUESTION, '9: -1.4737+6.1166j -2.8261-6.2481j 0.5609+4.7963j -0.52396+0.3857j'),
    },
    'envelope': {
        "complex": (DEFINED, '9: 0.36003 1.5024 0.95205 1.4055'),
    },
    'hilbert': {
        "complex": (DEFINED, '9: 0.35138+0.078448j -0.19347-1.4899j 0.88371+0.3542j -0.8672-1.1061j'),
    },
    'unwrap': {
        "complex": (DEFINED, '9: -1.4801-0.6545j -2.3069-2.0647j -4.6198-4.8487j -2.4727-2.1964j'),
    },
    'conv2': {
        "nan": (SKIPS, '81: -0.019125 0.30242 -1.0577 1.4368'),
    },
    'conv2_same': {
        "empty": (NOTHING, "error: argument 1 of 'conv2' needs vectors or matrices, not a 'mat'"),
    },
    'filter2': {
        "empty": (NOTHING, "error: argument 1 of 'conv2' needs vectors or matrices, not a 'mat'"),
    },
    'xcorr2': {
        "nan": (SKIPS, '81: -0.17394 0.45408 -0.23965 -0.69707'),
    },
    'detrend': {
        "empty": (DEFINED, '0:'),
        "nan": (DEFINED, '9: nan nan nan nan'),
    },
    'medfilt1': {
        "nan": (SKIPS, '9: 0 0.41586 nan nan'),
    },
    'sgolayfilt': {
        "nan": (DEFINED, '9: nan nan nan nan'),
        "complex": (REAL, "error: 'cscalar' elements cannot be converted to 'scalar'"),
    },
    'findpeaks': {
        "empty": (NOTHING, 'error: index 1 is out of bounds in array, which is empty'),
        "one": (FEW, 'error: index 1 is out of bounds in array, which is empty'),
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'periodogram': {
        "empty": (NOTHING, "error: the end of a range needs a number, not a 'vec[int]'"),
        "complex": (REAL, '5: 0.7213 0.38865 0.32416 0.10883'),
    },
    'interp1': {
        "complex": (DEFINED, '9: 3.8767 2.0118 3.1683 3.7939'),
    },
    'interp1_spline': {
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'interp2': {
        "empty": (NOTHING, "error: argument 1 of 'interp2' needs a matrix with elements, not a 'mat'"),
        "one": (SIZE, '2: nan nan'),
        "complex": (REAL, "error: 'interp2' is not defined for complex numbers"),
    },
    'lsqnonneg': {
        "nan": (DEFINED, '5: 0 0 0 0'),
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'pcg': {
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'sparse': {
        "complex": (REAL, "error: cannot store a 'cscalar' in 'v', whose elements are 'scalar'"),
    },
    'sparse_solve': {
        "complex": (REAL, "error: cannot store a 'cscalar' in 'v', whose elements are 'scalar'"),
    },
    'spdiags': {
        "empty": (DEFINED, '25: 0 0 0 0'),
        "complex": (REAL, "error: cannot store a 'cscalar' in 'v', whose elements are 'scalar'"),
    },
    'medfilt2': {
        "nan": (SKIPS, '25: 0.80196 0.80196 0.52837 0.31683'),
    },
    'imerode': {
        "nan": (SKIPS, '25: -0.76725 -0.76725 -0.98798 -0.98798'),
    },
    'ordfilt2': {
        "nan": (SKIPS, '25: 0 0 0 0'),
    },
    'bwlabel': {
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'bwdist': {
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'imfill': {
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'integralImage': {
        "complex": (REAL, "error: 'cscalar' elements cannot be converted to 'scalar'"),
    },
    'imfilter': {
        "complex": (REAL, "error: argument 1 of 'imfilter' needs a real matrix, or a cube with channels, not a 'cmat'"),
    },
    'inpolygon': {
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'imopen': {
        "nan": (SKIPS, '25: -0.76725 -0.76725 -0.76725 -0.98798'),
    },
    'imtophat': {
        "nan": (SKIPS, '25: 1.2063 0 1.2956 1.3299'),
    },
    'immedfilt': {
        "nan": (SKIPS, '25: 0.80196 0.80196 0.52837 0.31683'),
    },
    'rangefilt': {
        "empty": (NOTHING, 'error: index 1 is out of bounds in array, which is empty'),
        "one": (FEW, 'error: index 1 is out of bounds (0..0) in array'),
        "nan": (SKIPS, '9: 2.7684 2.2039 2.2039 3.5545'),
    },
    'imrotate': {
        "empty": (NOTHING, "error: argument 1 of 'interp2' needs a matrix with elements, not a 'mat'"),
        "complex": (REAL, "error: 'interp2' is not defined for complex numbers"),
    },
    'imrotate_half': {
        "empty": (NOTHING, "error: argument 1 of 'interp2' needs a matrix with elements, not a 'mat'"),
        "complex": (REAL, "error: 'interp2' is not defined for complex numbers"),
    },
    'imwarp': {
        "empty": (NOTHING, "error: argument 1 of 'interp2' needs a matrix with elements, not a 'mat'"),
        "one": (FEW, 'error: index 1 is out of bounds (0..0) in array'),
        "complex": (REAL, "error: 'interp2' is not defined for complex numbers"),
    },
    'mat2gray': {
        "one": (SIZE, '1: 0'),
        "nan": (SKIPS, '25: 0.59012 0.27359 0.61355 0.56463'),
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'imgradientxy': {
        "complex": (REAL, "error: argument 1 of 'imfilter' needs a real matrix, or a cube with channels, not a 'cmat'"),
    },
    'edge_slopes': {
        "complex": (REAL, "error: 'cscalar' elements cannot be converted to 'scalar'"),
    },
    'rgb2gray': {
        "complex": (REAL, "error: argument 1 of 'rgb2gray' needs a cube with 3 channels or a vector with 3 elements, not a 'ccube'"),
    },
    'rgb2hsv': {
        "nan": (SKIPS, '9: 125.84 0.53364 0.7591 nan'),
    },
    'hsv2rgb': {
        "empty": (NOTHING, 'error: an array of size 1x0 cannot be reshaped to 1x3x3'),
        "one": (FEW, 'error: an array of size 1x1 cannot be reshaped to 1x3x3'),
        "nan": (SKIPS, '9: 0.35401 0.7591 0.39343 nan'),
    },
    'ycbcr2rgb': {
        "empty": (NOTHING, 'error: an array of size 1x0 cannot be reshaped to 1x3x3'),
        "one": (FEW, 'error: an array of size 1x1 cannot be reshaped to 1x3x3'),
        "nan": (SKIPS, '9: 0.37002 0.99408 0.41586 nan'),
    },
    'lab2rgb': {
        "empty": (NOTHING, 'error: an array of size 1x0 cannot be reshaped to 1x3x3'),
        "one": (FEW, 'error: an array of size 1x1 cannot be reshaped to 1x3x3'),
        "nan": (SKIPS, '9: 0.35401 0.7591 0.39343 nan'),
    },
    'imhist': {
        "nan": (SKIPS, '256: 1 0 0 0'),
    },
    'regionprops': {
        "empty": (NOTHING, "error: 'max' of an empty array"),
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'dwt2': {
        "empty": (NOTHING, "error: index 0 is out of bounds in 'x', which is empty"),
        "one": (FEW, "error: index 1 is out of bounds (0..0) in 'x'"),
        "nan": (SKIPS, '16: 0.43909 -0.76725 nan nan'),
    },
    'dtcwt': {
        "empty": (NOTHING, "error: index 0 is out of bounds in 'x', which is empty"),
        "one": (FEW, "error: index 1 is out of bounds (0..0) in 'x'"),
        "nan": (SKIPS, '8: nan nan nan nan'),
        "complex": (REAL, '8: 0.23248-0.16674j 1.4925-0.37777j 0.2201-0.56501j -0.60201-0.66314j'),
    },
    'dtcwt2': {
        "empty": (NOTHING, "error: index 0 is out of bounds in 'x', which is empty"),
        "one": (FEW, "error: index 1 is out of bounds (0..0) in 'x'"),
        "nan": (SKIPS, '16: nan nan nan nan'),
        "complex": (REAL, '16: -0.35496+0.29546j -1.3507+0.30074j 0.47047+0.087348j 1.7394+0.082065j'),
    },
    'dwt': {
        "empty": (NOTHING, "error: index 0 is out of bounds in 'x', which is empty"),
        "one": (FEW, "error: index 1 is out of bounds (0..0) in 'x'"),
    },
    'waverec': {
        "nan": (SKIPS, '9: nan nan nan nan'),
        "complex": (REAL, "error: 'cscalar' elements cannot be converted to 'scalar'"),
    },
    'csvwrite': {
        "complex": (REAL, 'error: save: an array of size 5x5 does not fit into a table'),
    },
    'audiowrite': {
        "nan": (SKIPS, '9: -0.177 0.37955 0.19672 0'),
        "complex": (REAL, '9: -0.18121 0.42325 0.7598 -0.33942'),
    },
    'type': {
        "complex": (QUESTION, '1: 0'),
    },
    'cast': {
        "nan": (NAN, 'error: value NaN does not fit in int'),
    },
    'isvector_matrix': {
        "one": (QUESTION, '5: 1 1 1 1'),
    },
    'feval': {
        "nan": (SKIPS, '9: 0.63145 0.99408 0.59348 -1.45'),
        "complex": (REAL, "error: 'max' is not defined for complex numbers"),
    },
    'bounds': {
        "nan": (SKIPS, '2: -1.45 0.99408'),
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'length': {
        "empty": (QUESTION, '5: 0 0 2 0'),
        "one": (QUESTION, '5: 1 1 1 1'),
    },
    'single': {
        "complex": (QUESTION, '9: -0.37002-0.16363j 0.99408-0.51617j 0.41586-1.2122j -0.61816-0.5491j'),
    },
    'saturate': {
        "complex": (REAL, "error: 'saturate' is not defined for complex numbers"),
    },
    'not': {
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'idivide': {
        "nan": (NAN, "error: argument 1 of 'idivide' needs whole numbers, not a 'vec'"),
    },
    'issorted': {
        "nan": (SKIPS, '2: 0 0'),
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'lup': {
        "nan": (NAN, "error: 'lu' of a matrix with infinite elements or NaN"),
        "complex": (REAL, "error: 'lu' is not defined for complex matrices"),
    },
    'wavwrite': {
        "nan": (SKIPS, '9: -0.177 0.37955 0.19672 0'),
        "complex": (REAL, '9: -0.18121 0.42325 0.7598 -0.33942'),
    },
    'lsim': {
        "empty": (SIZE, '0:'),
        "one": (DEFINED, '1: 1.4'),
        "complex": (REAL, "error: cannot store a 'cscalar' in 'y', whose elements are 'scalar'"),
    },
    'aryule': {
        "empty": (DEFINED, '3: 1 nan nan'),
        "one": (DEFINED, '3: 1 0 -0'),
        "nan": (DEFINED, '3: 1 nan nan'),
        "complex": (REAL, "error: 'cscalar' elements cannot be converted to 'scalar'"),
    },
    'lpc': {
        "empty": (DEFINED, '3: 1 nan nan'),
        "one": (DEFINED, '3: 1 0 -0'),
        "nan": (DEFINED, '3: 1 nan nan'),
        "complex": (REAL, "error: 'cscalar' elements cannot be converted to 'scalar'"),
    },
    'arburg': {
        "complex": (REAL, "error: 'cscalar' elements cannot be converted to 'scalar'"),
    },
    'spectrogram': {
        "one": (DEFINED, '1: 0.7+0j'),
        "complex": (DEFINED, '9: 1.0066-1.3878j -0.041173-1.4399j -0.65073+0.25952j -0.70333+0.1054j'),
    },
    'spectrogram_of': {
        "empty": (DEFINED, '0:'),
        "one": (DEFINED, '0:'),
        "complex": (DEFINED, '20: 3.1522 3.539 1.7385 0.98805'),
    },
    'pwelch': {
        "empty": (NOTHING, 'error: cannot assign 0x0 values to a selection of size 0'),
        "one": (DEFINED, '1: 0.245'),
        "complex": (REAL, '3: 0.7655 1.0518 0.70881'),
    },
    'idwt': {
        "empty": (NOTHING, "error: index 0 is out of bounds in 'x', which is empty"),
        "one": (FEW, "error: index 1 is out of bounds (0..0) in 'x'"),
        "nan": (SKIPS, '8: nan nan nan nan'),
    },
    'ifft3': {
        "empty": (NOTHING, 'error: an array of size 1x0 cannot be reshaped to 3x1x3'),
        "one": (FEW, 'error: an array of size 1x1 cannot be reshaped to 3x1x3'),
        "nan": (SKIPS, '9: nan+nanj nan+nanj nan+nanj nan+nanj'),
    },
    'imlincomb': {
        "complex": (REAL, "error: 'cscalar' elements cannot be converted to 'scalar'"),
    },
    'imbinarize': {
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'imcrop': {
        "empty": (NOTHING, "error: index 0 is out of bounds in 'x', which is empty"),
        "one": (FEW, "error: index 1 is out of bounds (0..0) in 'x'"),
    },
    'imgaussfilt': {
        "complex": (REAL, "error: argument 1 of 'imfilter' needs a real matrix, or a cube with channels, not a 'cmat'"),
    },
    'bwperim': {
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'bwareaopen': {
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'bweuler': {
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'bweuler_edges': {
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'bwhitmiss': {
        "empty": (NOTHING, 'error: index 1 is out of bounds in array, which is empty'),
        "one": (FEW, 'error: index 1 is out of bounds (0..0) in array'),
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'bwselect': {
        "empty": (NOTHING, "error: index 0 is out of bounds in 'regions', which is empty"),
        "nan": (SKIPS, '25: 1 1 1 1'),
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'imregionalmax': {
        "empty": (NOTHING, "error: 'max' of an empty array"),
    },
    'imregionalmin': {
        "empty": (NOTHING, "error: 'max' of an empty array"),
        "nan": (SKIPS, '25: 0 0 0 0'),
    },
    'imextendedmax': {
        "empty": (NOTHING, "error: 'max' of an empty array"),
        "nan": (SKIPS, '25: 0 0 0 0'),
    },
    'imextendedmin': {
        "empty": (NOTHING, "error: 'max' of an empty array"),
        "nan": (SKIPS, '25: 0 0 0 0'),
    },
    'imreconstruct': {
        "nan": (DEFINED, '25: 0.43909 -0.76725 0.52837 0.34193'),
    },
    'imhmax': {
        "nan": (DEFINED, '25: 0.43909 -0.76725 0.52837 0.34193'),
    },
    'imhmin': {
        "nan": (DEFINED, '25: 0.43909 -0.76725 0.52837 0.34193'),
    },
    'imquantize': {
        "nan": (NAN, 'error: value NaN does not fit in int'),
    },
    'im2col': {
        "one": (DEFINED, '0:'),
    },
    'col2im': {
        "empty": (NOTHING, "error: index 0 is out of bounds in 'c', which is empty"),
        "one": (FEW, "error: index 1 is out of bounds (0..0) in 'c'"),
    },
    'stdfilt': {
        "empty": (NOTHING, 'error: padarray: an empty array has no border'),
        "nan": (SKIPS, '25: 0 0 0 0'),
    },
    'wiener2': {
        "complex": (REAL, "error: 'cscalar' elements cannot be converted to 'scalar'"),
    },
    'entropy': {
        "nan": (SKIPS, '1: 4.4839'),
    },
    'entropyfilt': {
        "empty": (NOTHING, 'error: padarray: an empty array has no border'),
        "nan": (SKIPS, '25: 1.8366 2.5033 2.5033 2.5033'),
    },
    'normxcorr2': {
        "empty": (NOTHING, "error: index 1 is out of bounds in 'x', which is empty"),
        "one": (FEW, "error: index 1 is out of bounds (0..0) in 'x'"),
        "nan": (SKIPS, '1: nan'),
        "complex": (REAL, "error: 'cscalar' elements cannot be converted to 'scalar'"),
    },
    'imadjust': {
        "nan": (SKIPS, '25: 90.478 189.26 120.76 54.909'),
    },
    'stretchlim': {
        "complex": (REAL, "error: 'max' is not defined for complex numbers"),
    },
    'intlut': {
        "nan": (NAN, 'error: value NaN does not fit in int'),
    },
    'gray2rgb': {
        "empty": (NOTHING, 'error: index 2 is out of bounds (0..0) in array'),
    },
    'label2rgb': {
        "empty": (QUESTION, '3: 0 0 3'),
        "one": (QUESTION, '3: 1 1 3'),
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'ssim': {
        "empty": (SIZE, '1: nan'),
        "nan": (SKIPS, '1: nan'),
        "complex": (REAL, "error: 'cscalar' elements cannot be converted to 'scalar'"),
    },
    'deconvwnr': {
        "empty": (NOTHING, 'error: operands have incompatible sizes 0x0 and 5x5'),
        "one": (QUESTION, '25: 0.7 5.7732e-17 1.1102e-16 1.1102e-16'),
        "nan": (SKIPS, '25: nan nan nan nan'),
        "complex": (PROJECTED, '25: 0.43909 -0.76725 0.52837 0.34193'),
    },
    'deconvlucy': {
        "empty": (NOTHING, "error: index 0 is out of bounds in 'wide', which is empty"),
        "nan": (SKIPS, '25: 0 0 0 0'),
    },
    'radon_sum': {
        "complex": (REAL, "error: cannot store a 'cscalar' in 'sums', whose elements are 'scalar'"),
    },
    'imadd': {
        "nan": (SKIPS, '25: 71.289 94.533 78.413 62.92'),
        "complex": (REAL, '25: 184.36 94.929 93.342 67.971'),
    },
    'imsubtract': {
        "nan": (SKIPS, '25: 73.716 64.192 74.357 72.963'),
        "complex": (REAL, "error: 'max' is not defined for complex numbers"),
    },
    'immultiply': {
        "nan": (SKIPS, '25: 82.578 129.07 96.827 65.839'),
        "complex": (REAL, '25: 255 129.86 126.68 75.942'),
    },
    'imdivide': {
        "nan": (SKIPS, '25: 20.645 32.266 24.207 16.46'),
    },
    'im2uint8': {
        "nan": (SKIPS, '25: 105 165 123 84'),
        "complex": (REAL, '25: 255 166 162 97'),
    },
    'im2uint16': {
        "nan": (SKIPS, '25: 27059 42291 31728 21574'),
        "complex": (REAL, '25: 65535 42551 41511 24884'),
    },
    'adapthisteq': {
        "empty": (NOTHING, 'error: padarray: an empty array has no border'),
        "one": (QUESTION, '2: 1 1'),
    },
    'bwmorph': {
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'bwmorph_erode': {
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'bwboundaries': {
        "empty": (NOTHING, "error: 'max' of an empty array"),
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'gaussian_filter': {
        "complex": (REAL, "error: argument 1 of 'imfilter' needs a real matrix, or a cube with channels, not a 'cmat'"),
    },
    'imresize': {
        "empty": (NOTHING, "error: argument 1 of 'imresize' needs a real matrix, or a cube with channels, not a 'mat'"),
        "one": (QUESTION, '100: 0.7 0.7 0.7 0.7'),
        "complex": (REAL, "error: argument 1 of 'imresize' needs a real matrix, or a cube with channels, not a 'cmat'"),
    },
    'imread': {
        "empty": (NOTHING, 'error: an array of size 0x0 is no image'),
        "nan": (SKIPS, '25: 126 53 131 120'),
    },
    'imwrite_exr': {
        "empty": (NOTHING, "error: index 0 is out of bounds in 'x', which is empty"),
        "one": (FEW, "error: index 1 is out of bounds (0..0) in 'x'"),
    },
    'norm_-inf': {
        "empty": (DEFINED, '1: 0'),
    },
    'norm_empty': {
        "random": (QUESTION, '1: 6.3071'),
        "one": (QUESTION, '1: 0.7'),
        "nan": (QUESTION, '1: nan'),
        "complex": (QUESTION, '1: 10.024'),
    },
    'var_of': {
        "one": (SIZE, '1: 0'),
        "complex": (REAL, "error: 'var' is not defined for complex numbers"),
    },
    'std_of': {
        "one": (SIZE, '1: 0'),
        "complex": (REAL, "error: 'std' is not defined for complex numbers"),
    },
    'std_whole': {
        "complex": (REAL, "error: 'std' is not defined for complex numbers"),
    },
    'unique_rows': {
        "empty": (NOTHING, "error: index 0 is out of bounds in 'x', which is empty"),
        "one": (FEW, "error: index 1 is out of bounds (0..0) in 'x'"),
    },
    'accumarray_max': {
        "one": (DEFINED, '5: 0.7 0 0 0'),
        "nan": (SKIPS, '5: 0.41586 0.99408 0.59348 0.63145'),
        "complex": (REAL, "error: argument 2 of 'accumarray' needs real numbers, not a 'cvec'"),
    },
    'cpsd': {
        "empty": (NOTHING, 'error: cannot assign 0x0 values to a selection of size 0'),
        "one": (DEFINED, '1: 0.245+0j'),
        "complex": (REAL, '3: -0.0029153+0.16823j 0.8293-0.96135j 0.60458-0.27683j'),
    },
    'cpsd_padded': {
        "empty": (NOTHING, 'error: cannot assign 0x0 values to a selection of size 0'),
        "one": (DEFINED, '5: 0.245+0j 0.49+0j 0.49+0j 0.49+0j'),
        "complex": (REAL, '5: -0.0029153+0.16823j 0.38918-0.36367j 0.8293-0.96135j 1.1919-1.1114j'),
    },
    'mscohere': {
        "empty": (NOTHING, 'error: cannot assign 0x0 values to a selection of size 0'),
        "one": (DEFINED, '1: 1'),
        "complex": (REAL, '3: 0.05422 0.65572 0.48862'),
    },
    'tfestimate': {
        "empty": (NOTHING, 'error: cannot assign 0x0 values to a selection of size 0'),
        "one": (DEFINED, '1: 1+0j'),
        "complex": (REAL, '3: -0.0038083+0.21976j 0.78844-0.91398j 0.85295-0.39056j'),
    },
    'upfirdn': {
        "empty": (NOTHING, 'error: a length of -2 for an array'),
    },
    'rceps': {
        "empty": (DEFINED, '0:'),
    },
    'stft': {
        "one": (DEFINED, '0:'),
    },
    'istft': {
        "empty": (NOTHING, 'error: a length of -2 for an array'),
        "one": (FEW, 'error: a length of -1 for an array'),
        "nan": (SKIPS, '9: -0.37002 nan nan nan'),
        "complex": (PROJECTED, '9: -0.37002 0.99408 0.41586 -0.61816'),
    },
    'buffer': {
        "empty": (DEFINED, '0:'),
        "one": (DEFINED, '4: 0.7 0 0 0'),
    },
    'normcdf': {
        "complex": (REAL, "error: 'erfc' is not defined for complex numbers"),
    },
    'norminv': {
        "complex": (REAL, "error: 'erfc' is not defined for complex numbers"),
    },
    'corr': {
        "complex": (MOMENT, '25: 1+0j 0.55877+0.37361j 0.012834+0.11566j -0.63276-0.68014j'),
    },
    'moment': {
        "complex": (DEFINED, '1: 0.012532+0.17608j'),
    },
    'convhull': {
        "one": (DEFINED, '1: 0'),
        "nan": (DEFINED, '1: nan'),
        "complex": (REAL, "error: argument 1 of 'sortrows' needs a real matrix, not a 'cmat'"),
    },
    'wavedec2': {
        "nan": (SKIPS, '25: nan nan nan nan'),
    },
    'appcoef2': {
        "empty": (SIZE, '0:'),
        "one": (SIZE, '1: 0'),
        "nan": (SKIPS, '9: 0 nan 0 0'),
    },
    'detcoef2': {
        "empty": (SIZE, '0:'),
        "one": (SIZE, '1: 0'),
        "nan": (SKIPS, '9: 0 nan 0 0'),
    },
    'dice': {
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'detcoef': {
        "empty": (NOTHING, "error: index 0 is out of bounds in 'x', which is empty"),
        "one": (FEW, "error: index 1 is out of bounds (0..0) in 'x'"),
        "complex": (REAL, "error: 'cscalar' elements cannot be converted to 'scalar'"),
    },
    'convenc': {
        "empty": (DEFINED, '0:'),
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'vitdec': {
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'lsqcurvefit': {
        "one": (DEFINED, '2: 4.261e-16 0.7'),
        "nan": (SKIPS, '2: 0 0'),
        "complex": (REAL, "error: 'cscalar' elements cannot be converted to 'scalar'"),
    },
    'bwconncomp': {
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'rectpuls': {
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'tripuls': {
        "nan": (SKIPS, '9: 0.62998 0.0059213 0.58414 1'),
        "complex": (REAL, "error: 'min' is not defined for complex numbers"),
    },
    'issymmetric': {
        "empty": (QUESTION, '5: 1 1 1 1'),
        "one": (QUESTION, '5: 1 1 1 1'),
        "nan": (SKIPS, '5: 0 0 0 0'),
        "complex": (QUESTION, '5: 0 1 0 0'),
    },
    'discretize': {
        "nan": (SKIPS, '9: 0 1 1 nan'),
    },
    'knnsearch': {
        "empty": (DEFINED, '0:'),
        "one": (FEW, "error: index 1 is out of bounds (0..0) in 'order'"),
        "nan": (DEFINED, '20: 1 4 0 0.25'),
        "complex": (REAL, "error: 'max' is not defined for complex numbers"),
    },
    'qfunc': {
        "complex": (REAL, "error: 'erfc' is not defined for complex numbers"),
    },
    'qfuncinv': {
        "complex": (REAL, "error: 'erfc' is not defined for complex numbers"),
    },
    'pdist': {
        "nan": (SKIPS, '15: 0 0.77286 2.8416 2.4537'),
    },
    'smooth': {
        "empty": (DEFINED, '0:'),
        "one": (SIZE, '1: 0.7'),
        "complex": (REAL, "error: cannot store a 'cscalar' in 'y', whose elements are 'scalar'"),
    },
    'writematrix': {
        "complex": (REAL, 'error: save: an array of size 5x5 does not fit into a table'),
    },
    'sinpi': {
        "empty": (NOTHING, "error: 'max' of an empty array"),
        "complex": (REAL, "error: 'mod' is not defined for complex numbers"),
    },
    'convn': {
        "empty": (NOTHING, "error: argument 1 of 'conv2' needs vectors or matrices, not a 'mat'"),
    },
    'convn_cube': {
        "one": (FEW, "error: index 1 is out of bounds (0..0) in 'x'"),
    },
    'fftn': {
        "empty": (DEFINED, '0:'),
    },
    'ifftn': {
        "empty": (DEFINED, '0:'),
    },
    'imboxfilt': {
        "nan": (SKIPS, '25: 0.55846 nan nan nan'),
        "complex": (REAL, "error: argument 1 of 'imfilter' needs a real matrix, or a cube with channels, not a 'cmat'"),
    },
    'imsharpen': {
        "empty": (NOTHING, "error: 'max' of an empty array"),
        "one": (QUESTION, '1: -5.6843e-15'),
        "nan": (SKIPS, '25: nan nan nan nan'),
    },
    'imbilatfilt': {
        "empty": (NOTHING, "error: 'max' of an empty array"),
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'imguidedfilter': {
        "nan": (SKIPS, '25: nan nan nan nan'),
        "complex": (REAL, "error: argument 1 of 'imfilter' needs a real matrix, or a cube with channels, not a 'cmat'"),
    },
    'imnlmfilt': {
        "nan": (SKIPS, '25: nan nan nan nan'),
        "complex": (REAL, "error: cannot store a 'cscalar' in 'y', whose elements are 'scalar'"),
    },
    'imfuse': {
        "empty": (NOTHING, "error: 'max' of an empty array"),
    },
    'imhistmatch': {
        "empty": (SIZE, '0:'),
        "one": (SIZE, '1: 0'),
    },
    'rgb2ntsc': {
        "empty": (NOTHING, "error: index 1 is out of bounds (0..0) in 'v'"),
    },
    'ntsc2rgb': {
        "empty": (NOTHING, "error: index 1 is out of bounds (0..0) in 'v'"),
        "nan": (SKIPS, '75: 0.43909 -0.043556 0.43909 -0.76725'),
    },
    'bwareafilt': {
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'wcodemat': {
        "one": (SIZE, '1: 1'),
        "nan": (SKIPS, '25: 3 6 4 3'),
    },
    'soundsc': {
        "empty": (NOTHING, "error: 'max' of an empty array"),
        "complex": (REAL, "error: 'max' is not defined for complex numbers"),
    },
    'pchip': {
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'ppval': {
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'interpft': {
        "complex": (DEFINED, '27: -0.37002-0.16363j -0.51808+0.41442j 0.05083+0.24341j 0.99408-0.51617j'),
    },
    'del2': {
        "empty": (DEFINED, '0:'),
        "one": (DEFINED, '1: 0'),
    },
    'movstd': {
        "one": (SIZE, '1: 0'),
    },
    'movvar': {
        "one": (SIZE, '1: 0'),
    },
    'lt': {
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'gt': {
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'le': {
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'ge': {
        "complex": (ORDER, 'error: complex numbers cannot be ordered'),
    },
    'mat2cell': {
        "empty": (NOTHING, 'error: mat2cell: the lengths have to make up those of the matrix'),
        "one": (FEW, 'error: mat2cell: the lengths have to make up those of the matrix'),
    },
    'logm': {
        "empty": (DEFINED, '0:'),
    },
    'schur': {
        "nan": (NAN, 'error: schur: the matrix has elements that are no finite numbers'),
    },
    'kron_sparse': {
        "complex": (REAL, "error: cannot store a 'cscalar' in 'v', whose elements are 'scalar'"),
    },
    'rose': {
        "complex": (REAL, "error: 'mod' is not defined for complex numbers"),
    },
    'ismember_rows': {
        "nan": (SKIPS, '5: 1 0 1 1'),
        "complex": (REAL, "error: argument 1 of 'ismember' needs a matrix of real numbers, not a 'cmat'"),
    },
    'var_weights': {
        "nan": (NAN, "error: argument 2 of 'var' needs weights that are not negative, and not all 0, not a 'vec'"),
        "complex": (REAL, "error: 'var' is not defined for complex numbers"),
    },
    'std_weights': {
        "nan": (NAN, "error: argument 2 of 'std' needs weights that are not negative, and not all 0, not a 'vec'"),
        "complex": (REAL, "error: 'std' is not defined for complex numbers"),
    },
    'typecast': {
        "complex": (REAL, "error: argument 1 of 'typecast' needs real numbers, not a 'cvec'"),
    },
    'interp2_spline': {
        "one": (DEFINED, '2: nan nan'),
        "complex": (REAL, "error: 'interp2' is not defined for complex numbers"),
    },
    'interp2_finer': {
        "one": (DEFINED, '1: 0.7'),
        "complex": (REAL, "error: 'interp2' is not defined for complex numbers"),
    },
    'besselj: besselj(0.5,9*x)': {
        "random": (BELOW, "error: 'besselj' of a number below 0 is not real"),
        "nan": (BELOW, "error: 'besselj' of a number below 0 is not real"),
    },
    'besselj: besselj(-1.5,9*x)': {
        "random": (BELOW, "error: 'besselj' of a number below 0 is not real"),
        "nan": (BELOW, "error: 'besselj' of a number below 0 is not real"),
    },
}
