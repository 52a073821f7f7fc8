//! Programs of `quadra bench auto`: a table. Each measures itself, from behind its imports and first arrays to its end.

/// A program: what it does, its arrays, and the work that is timed.
pub struct Program {
    pub name: &'static str,
    pub arrays: &'static str,
    pub work: &'static str,
}

const fn program(name: &'static str, arrays: &'static str, work: &'static str) -> Program {
    Program { name, arrays, work }
}

const BODIES: &str = "p = rand(512,3)\nv = zeros(512,3)\na = zeros(512,3)\n";
const FEW_BODIES: &str = "p = rand(64,3)\nv = zeros(64,3)\na = zeros(64,3)\n";
const ATTRACT: &str = "for i=0..size(p,0)-1\n  ax = 0.0\n  ay = 0.0\n  az = 0.0\n  for j=0..size(p,0)-1\n    dx = p[j,0]-p[i,0]\n    dy = p[j,1]-p[i,1]\n    dz = p[j,2]-p[i,2]\n    d = dx*dx + dy*dy + dz*dz + 0.01\n    f = 1/(d*sqrt(d))\n    ax += dx*f\n    ay += dy*f\n    az += dz*f\n  endfor\n  a[i,0] = ax\n  a[i,1] = ay\n  a[i,2] = az\nendfor\nv = v + 0.001*a\np = p + 0.001*v\n";

/// Loops over an image.
const BLUR: &str = "for i=1..size(x,0)-2\n  for j=1..size(x,1)-2\n    y[i,j] = (x[i-1,j]+x[i+1,j]+x[i,j-1]+x[i,j+1]+4*x[i,j])/8\n  endfor\nendfor\n";
const MANDELBROT: &str = "for i=0..size(y,0)-1\n  for j=0..size(y,1)-1\n    cr = 3.0*j/size(y,1)-2\n    ci = 2.0*i/size(y,0)-1\n    zr = 0.0\n    zi = 0.0\n    n = 0\n    while zr*zr+zi*zi < 4 && n < 200\n      t = zr*zr-zi*zi+cr\n      zi = 2*zr*zi+ci\n      zr = t\n      n += 1\n    endwhile\n    y[i,j] = n\n  endfor\nendfor\n";
const ROWS: &str =
    "for i=0..size(x,0)-1\n  s = 0.0\n  for j=0..size(x,1)-1\n    s += x[i,j]*x[i,j]\n  endfor\n  y[i] = s\nendfor\n";
const PRODUCT: &str = "for i=0..size(x,0)-1\n  for j=0..size(x,0)-1\n    s = 0.0\n    for k=0..size(x,0)-1\n      s += x[i,k]*y[k,j]\n    endfor\n    z[i,j] = s\n  endfor\nendfor\n";

/// 30 of them, from small launches to large ones.
pub const PROGRAMS: &[Program] = &[
    program("scale 16 elements, once", "x = rand(16)\ny = zeros(16)\n", "for i=0..15\n  y[i] = 2*x[i]\nendfor\n"),
    program(
        "scale 100 elements, 1,000 times",
        "x = rand(100)\ny = zeros(100)\n",
        "for t=1..1000\n  for i=0..99\n    y[i] = 2*x[i]+t\n  endfor\nendfor\n",
    ),
    program(
        "scale 4,096 elements, once",
        "x = rand(4096)\ny = zeros(4096)\n",
        "for i=0..4095\n  y[i] = 2*x[i]\nendfor\n",
    ),
    program(
        "scale 4,096 elements, 500 times",
        "x = rand(4096)\ny = zeros(4096)\n",
        "for t=1..500\n  for i=0..4095\n    y[i] = 2*x[i]+t\n  endfor\nendfor\n",
    ),
    program(
        "scale a million elements, once",
        "x = rand(1000000)\ny = zeros(1000000)\n",
        "for i=0..999999\n  y[i] = 2*x[i]\nendfor\n",
    ),
    program(
        "sines of 2,000 elements, once",
        "x = rand(2000)\ny = zeros(2000)\n",
        "for i=0..1999\n  y[i] = sin(x[i])\nendfor\n",
    ),
    program(
        "sines of a million elements, once",
        "x = rand(1000000)\ny = zeros(1000000)\n",
        "for i=0..999999\n  y[i] = sin(x[i])\nendfor\n",
    ),
    program("sum of 10,000 elements", "x = rand(10000)\n", "s = 0.0\nfor i=0..9999\n  s += x[i]\nendfor\n"),
    program("sum of a million elements", "x = rand(1000000)\n", "s = 0.0\nfor i=0..999999\n  s += x[i]\nendfor\n"),
    program("n-body of 64, one step", FEW_BODIES, ATTRACT),
    program("n-body of 512, one step", BODIES, ATTRACT),
    program("n-body of 512, 20 steps", BODIES, steps::BODIES),
    program("blur of 16x16", "x = rand(16,16)\ny = zeros(16,16)\n", BLUR),
    program("blur of 64x64", "x = rand(64,64)\ny = zeros(64,64)\n", BLUR),
    program("blur of 128x128", "x = rand(128,128)\ny = zeros(128,128)\n", BLUR),
    program("blur of 256x256", "x = rand(256,256)\ny = zeros(256,256)\n", BLUR),
    program("blur of 1024x1024", "x = rand(1024,1024)\ny = zeros(1024,1024)\n", BLUR),
    program("blur of 64x64, 200 steps", "x = rand(64,64)\ny = zeros(64,64)\n", steps::BLUR),
    program("blur of 512x512, 100 steps", "x = rand(512,512)\ny = zeros(512,512)\n", steps::BLUR_FEW),
    program("mandelbrot of 32x32", "y = zeros(32,32)\n", MANDELBROT),
    program("mandelbrot of 256x256", "y = zeros(256,256)\n", MANDELBROT),
    program("sums of the rows of 20x20", "x = rand(20,20)\ny = zeros(20)\n", ROWS),
    program("sums of the rows of 64x2000", "x = rand(64,2000)\ny = zeros(64)\n", ROWS),
    program("sums of the rows of 1000x1000", "x = rand(1000,1000)\ny = zeros(1000)\n", ROWS),
    program("product of 16x16", "x = rand(16,16)\ny = rand(16,16)\nz = zeros(16,16)\n", PRODUCT),
    program("product of 64x64", "x = rand(64,64)\ny = rand(64,64)\nz = zeros(64,64)\n", PRODUCT),
    program("product of 256x256", "x = rand(256,256)\ny = rand(256,256)\nz = zeros(256,256)\n", PRODUCT),
    program(
        "histogram of 10,000 bytes",
        "x = floor(256*rand(10000))\nh = zeros(256)\n",
        "for i=0..9999\n  h[x[i]] += 1\nendfor\n",
    ),
    program(
        "histogram of a million bytes",
        "x = floor(256*rand(1000000))\nh = zeros(256)\n",
        "for i=0..999999\n  h[x[i]] += 1\nendfor\n",
    ),
    program(
        "array expressions of a million elements",
        "x = rand(1000000)\ny = rand(1000000)\nz = zeros(1000000)\n",
        "for t=1..20\n  z = z + sqrt(x.*x + y.*y)./(x + y + t)\nendfor\n",
    ),
];

/// Time loops.
mod steps {
    pub const BODIES: &str = "for t=1..20\n  for i=0..511\n    ax = 0.0\n    ay = 0.0\n    az = 0.0\n    for j=0..511\n      dx = p[j,0]-p[i,0]\n      dy = p[j,1]-p[i,1]\n      dz = p[j,2]-p[i,2]\n      d = dx*dx + dy*dy + dz*dz + 0.01\n      f = 1/(d*sqrt(d))\n      ax += dx*f\n      ay += dy*f\n      az += dz*f\n    endfor\n    a[i,0] = ax\n    a[i,1] = ay\n    a[i,2] = az\n  endfor\n  v = v + 0.001*a\n  p = p + 0.001*v\nendfor\n";
    pub const BLUR: &str = "for t=1..200\n  for i=1..size(x,0)-2\n    for j=1..size(x,1)-2\n      y[i,j] = (x[i-1,j]+x[i+1,j]+x[i,j-1]+x[i,j+1]+4*x[i,j])/8\n    endfor\n  endfor\n  [x,y] = [y,x]\nendfor\n";
    pub const BLUR_FEW: &str = "for t=1..100\n  for i=1..size(x,0)-2\n    for j=1..size(x,1)-2\n      y[i,j] = (x[i-1,j]+x[i+1,j]+x[i,j-1]+x[i,j+1]+4*x[i,j])/8\n    endfor\n  endfor\n  [x,y] = [y,x]\nendfor\n";
}
