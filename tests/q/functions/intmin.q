print intmin() == minvalue(int), " ", intmin("int8"), " ", intmin("int16"), " ", intmin("uint8")
% out: 1 -128 -32768 0
