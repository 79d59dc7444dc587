/** The licence texts of what the bundles contain, as one file to ship beside them. */

import { readFileSync } from "node:fs";
import { join } from "node:path";

const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction, including
without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the
following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial
portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT
LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO
EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER
IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE
USE OR OTHER DEALINGS IN THE SOFTWARE.`;

const ISC = `Permission to use, copy, modify, and/or distribute this software for any purpose with or without
fee is hereby granted, provided that the above copyright notice and this permission notice appear in all
copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE
INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR
ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF
USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF
OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.`;

const BSD = `Redistribution and use in source and binary forms, with or without modification, are permitted
provided that the following conditions are met:

 1. Redistributions of source code must retain the above copyright notice, this list of conditions and the
    following disclaimer.
 2. Redistributions in binary form must reproduce the above copyright notice, this list of conditions and
    the following disclaimer in the documentation and/or other materials provided with the distribution.
 3. Neither the name of the Snowball project nor the names of its contributors may be used to endorse or
    promote products derived from this software without specific prior written permission.

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR IMPLIED
WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A
PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT OWNER OR CONTRIBUTORS BE LIABLE FOR ANY
DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED TO,
PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION)
HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING
NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE
POSSIBILITY OF SUCH DAMAGE.`;

/** A package without a text of its own gets the one that its package.json names. */
const BUNDLED = [
  {
    name: "onnxruntime-web",
    files: "encoder.js, runtime.wasm",
    licence: "MIT",
    text: `Copyright (c) Microsoft Corporation. All rights reserved.\n\n${MIT}\n
runtime.wasm is the file as published. What it contains of other projects is named, with its licences, in
https://github.com/microsoft/onnxruntime/blob/main/ThirdPartyNotices.txt`,
  },
  { name: "@huggingface/tokenizers", files: "encoder.js", licence: "Apache-2.0" },
  {
    name: "snowball-stemmers",
    files: "stemmer-*.js",
    licence: "ISC",
    text: `Copyright (c) Oleg Mazko\n\n${ISC}\n
Generated from the Snowball algorithms, https://snowballstem.org, under the 3-clause BSD licence:\n
Copyright (c) 2001, Dr Martin Porter
Copyright (c) 2004, 2005, Richard Boulton
Copyright (c) 2006-2019, Olly Betts
All rights reserved.\n\n${BSD}`,
  },
];

/**
 * @param {string} folder that holds node_modules.
 * @returns {string}
 */
export function licences(folder) {
  return BUNDLED.map(({ name, files, licence, text }) => {
    const at = join(folder, "node_modules", name);
    const { version } = JSON.parse(readFileSync(join(at, "package.json"), "utf8"));
    const body = text ?? readFileSync(join(at, "LICENSE"), "utf8").trim();
    return `${name} ${version} (${licence}), in ${files}\n\n${body}\n`;
  }).join(`\n${"-".repeat(80)}\n\n`);
}
