% Compared with scipy.signal on the same numbers; filtfilt with padlen=3, spectra without detrending.
function y = r(x)
    y = round(x .* 10000) ./ 10000 + 0
end
print r(filtfilt([0.5,0.5],[1],[1,2,3,4,5,6,7,9]))
print r(filtfilt([0.2,0.3],[1,-0.5],[1,2,8,4,5,1,7,9]))
% out: [1, 2, 3, 4, 5, 6, 7.25, 9]
% out: [1.0467, 2.6533, 3.9866, 4.5133, 4.6966, 5.3282, 6.9238, 8.9614]
