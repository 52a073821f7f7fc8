// Draws the timeline from the events of the page. Events narrower than a third of a pixel are joined with their neighbours.
"use strict";
(() => {
    const svg = document.getElementById("time");
    const { rows, names, events } = JSON.parse(document.getElementById("events").textContent);
    const row = 26, left = 110, foot = 24, width = 1060;
    const height = Math.max(1, rows.length) * row + foot;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const last = events.reduce((end, e) => Math.max(end, e[1] + e[2]), 0) || 1;
    let from = 0, to = last;

    const element = (name, attributes, text) => {
        const made = document.createElementNS("http://www.w3.org/2000/svg", name);
        for (const key in attributes) made.setAttribute(key, attributes[key]);
        if (text !== undefined) made.textContent = text;
        return made;
    };
    const micros = (t) => t >= 1e6 ? `${+(t / 1e6).toPrecision(5)} s` : t >= 1e3 ? `${+(t / 1e3).toPrecision(5)} ms` : `${+t.toPrecision(5)} µs`;
    const at = (t) => left + (t - from) / (to - from) * (width - left);

    function axis() {
        const step = 10 ** Math.floor(Math.log10((to - from) / 4));
        const unit = [1, 2, 5, 10].map((n) => n * step).find((n) => (to - from) / n <= 8);
        for (let t = Math.ceil(from / unit) * unit; t <= to; t += unit) {
            svg.append(element("line", { class: "grid", x1: at(t), x2: at(t), y1: 0, y2: height - foot }));
            svg.append(element("text", { x: Math.min(at(t), width - 40), y: height - 8, "text-anchor": "middle" }, micros(t)));
        }
    }

    function draw() {
        svg.replaceChildren();
        axis();
        rows.forEach((name, i) => svg.append(element("text", { x: 6, y: i * row + 17 }, name)));
        const sorted = events.filter((e) => e[1] + e[2] >= from && e[1] <= to).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
        let open = null;
        const close = () => {
            if (!open) return;
            const x = Math.max(left, open.from), w = Math.max(0.8, Math.min(width, open.to) - x);
            const bar = element("rect", { class: open.kind, x, y: open.row * row + 4, width: w, height: row - 8 });
            bar.append(element("title", {}, open.count === 1 ? open.said : `${open.count} events, the first: ${open.said}`));
            svg.append(bar);
            open = null;
        };
        for (const [line, start, length, name, kind] of sorted) {
            const a = at(start), b = at(start + length);
            if (open && open.row === line && open.kind === kind && a - open.to < 0.3 && b - a < 0.3) {
                open.to = Math.max(open.to, b);
                open.count += 1;
                continue;
            }
            close();
            open = { row: line, kind, from: a, to: b, count: 1, said: `${names[name]}, ${kind}: ${micros(length)} from ${micros(start)} on` };
        }
        close();
    }

    svg.addEventListener("wheel", (e) => {
        e.preventDefault();
        const box = svg.getBoundingClientRect();
        const x = (e.clientX - box.left) / box.width * width;
        const middle = from + Math.max(0, x - left) / (width - left) * (to - from);
        const scale = Math.exp(Math.max(-1, Math.min(1, e.deltaY / 200)));
        [from, to] = [Math.max(0, middle - (middle - from) * scale), Math.min(last, middle + (to - middle) * scale)];
        if (to - from < 1e-3) to = from + 1e-3;
        draw();
    }, { passive: false });
    svg.addEventListener("dblclick", () => {
        [from, to] = [0, last];
        draw();
    });
    let held = null;
    svg.addEventListener("pointerdown", (e) => {
        held = { x: e.clientX, from, to };
        svg.setPointerCapture(e.pointerId);
    });
    svg.addEventListener("pointermove", (e) => {
        if (!held) return;
        const span = held.to - held.from;
        const by = (held.x - e.clientX) / svg.getBoundingClientRect().width * width / (width - left) * span;
        from = Math.max(0, Math.min(last - span, held.from + by));
        to = from + span;
        draw();
    });
    svg.addEventListener("pointerup", () => held = null);
    draw();
    document.body.dataset.drawn = String(svg.querySelectorAll("rect").length);
})();
