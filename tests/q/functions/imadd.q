% Worked out by hand, or from the formula in the function's description.
print imadd([200,100],100)
% out: [255, 200]
