a = 0..0..5   % error[Q0374]: the step of a range is 0
