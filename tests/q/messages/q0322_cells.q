print {1,{2,3}} + {1,{2}}   % error[Q0322]: cell matrices have different structures
