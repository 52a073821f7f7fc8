print max({1,5,{2}},4)               % out: {4, 5, {4}}
