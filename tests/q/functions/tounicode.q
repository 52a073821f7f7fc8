print tounicode([72,252]), tounicode(fromunicode("quasar")) % out: Hüquasar
