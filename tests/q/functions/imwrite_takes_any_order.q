imwrite([[0,100],[200,255]], "q_order.png")
print imread("q_order.png")
% out: [[0, 100],
% out:  [200, 255]]
