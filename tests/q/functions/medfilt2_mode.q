print medfilt2([5,6,7],[1,3],"safe"), " ", medfilt2([5,6,7],[1,3],"clamped") % out: [5, 6, 6] [5, 6, 7]
