print {1,2} + {1,2,3}   % error[Q0322]: cell matrices have different structures
