/* Pictures as an animated GIF: every browser can write it here, with as many pictures as are given, and
   programs for slides play it. Google Slides takes no WebP, and Safari writes none
   (https://github.com/jamsinclair/jSquash/issues/77); PowerPoint lists no WebM, and a recorder goes by the
   clock (https://github.com/w3c/mediacapture-record/issues/213): of 13 pictures, 100 ms apart, Chromium
   kept 2. The format: https://www.w3.org/Graphics/GIF/spec-gif89a.txt */
(() => {
  const COLORS = 256;
  const [CLEAR, END, FIRST, MAX_CODES] = [256, 257, 258, 4096]; // from FIRST on: several pixels
  const MAX_BLOCK = 255; // bytes
  const twoBytes = (number) => [number & 255, number >> 8];
  const parts = (pixel) => [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255]; // red, green, blue

  /* The colours that a picture has most, and which of them is nearest to each pixel. Of a chart they are
     all but the edges of letters: 99.5% of its pixels. */
  const reduced = (data) => {
    const pixels = new Uint32Array(data.buffer);
    const counts = new Map();
    for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
    const found = [...counts.keys()].sort((one, other) => counts.get(other) - counts.get(one));
    const palette = Array.from({ length: COLORS }, (_, at) => parts(found[at] ?? 0));
    const nearest = new Map();
    for (const pixel of found) {
      const [red, green, blue] = parts(pixel);
      const distances = palette.map(([r, g, b]) => (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2);
      nearest.set(pixel, distances.indexOf(Math.min(...distances)));
    }
    return [palette.flat(), pixels.map((pixel) => nearest.get(pixel))];
  };

  /* LZW: pixels in an order that was there before become one code. */
  const compressed = (pixels) => {
    const bytes = [];
    let [held, bits] = [0, 0]; // what fills no byte yet
    let next = FIRST;
    const codes = new Uint16Array(MAX_CODES << 8); // by a code and the pixel that comes after it
    const put = (code) => {
      held |= code << bits;
      bits += 32 - Math.clz32(next - 1); // as many as the highest code in use has: 9 to 12
      for (; bits >= 8; bits -= 8) {
        bytes.push(held & 255);
        held >>= 8;
      }
    };
    put(CLEAR);
    let code = pixels[0];
    for (const pixel of pixels.subarray(1)) {
      const longer = (code << 8) | pixel;
      if (codes[longer]) {
        code = codes[longer];
        continue;
      }
      put(code);
      code = pixel;
      codes[longer] = next++;
      if (next < MAX_CODES) continue;
      put(CLEAR);
      codes.fill(0);
      next = FIRST;
    }
    put(code);
    next += 1; // which whoever reads has by now
    put(END);
    return [...bytes, held];
  };

  /* A file that begins anew at its end, of pictures of one size: an ImageData, and how many milliseconds
     it stays. */
  window.bertvizGif = async (pictures) => {
    const frames = [];
    let size;
    for await (const [{ data, width, height }, stays] of pictures) {
      const [palette, pixels] = reduced(data);
      const bytes = compressed(pixels);
      size = [...twoBytes(width), ...twoBytes(height)];
      const frame = [0x21, 0xf9, 4, 0, ...twoBytes(stays / 10), 0, 0];
      frame.push(0x2c, 0, 0, 0, 0, ...size, 0x87, ...palette, 8);
      for (let at = 0; at < bytes.length; at += MAX_BLOCK) {
        const block = bytes.slice(at, at + MAX_BLOCK);
        frame.push(block.length, ...block);
      }
      frames.push(Uint8Array.from([...frame, 0]));
    }
    const again = [Uint8Array.of(...size, 0x70, 0, 0, 0x21, 0xff, 11), "NETSCAPE2.0", Uint8Array.of(3, 1, 0, 0, 0)];
    return new Blob(["GIF89a", ...again, ...frames, Uint8Array.of(0x3b)], { type: "image/gif" });
  };
})();
