% A mask without elements has no least value.
for mask = {zeros(0,3), zeros(3,0), zeros(0)}
    try
        print imerode([3,1,2], mask)
    catch e
        print e.message
    end
    try
        print imdilate(zeros(2,0), mask, [0,0])
    catch e
        print e.message
    end
end
% out: argument 2 of 'imerode' needs a mask with at least one element, not a 'mat'
% out: argument 2 of 'imdilate' needs a mask with at least one element, not a 'mat'
% out: argument 2 of 'imerode' needs a mask with at least one element, not a 'mat'
% out: argument 2 of 'imdilate' needs a mask with at least one element, not a 'mat'
% out: argument 2 of 'imerode' needs a mask with at least one element, not a 'vec'
% out: argument 2 of 'imdilate' needs a mask with at least one element, not a 'vec'
