// Difference of two texts, word by word and in Mandarin character by character (longest common subsequence).

const MOST_CELLS = 400_000;

/** Words with their spaces; Mandarin characters one by one. */
export const pieces = (text) =>
  text.match(/[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]|[^\s\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]+|\s+/gu) ?? [];

const join = (parts) =>
  parts.reduce((joined, part) => {
    const last = joined.at(-1);
    if (last?.kind === part.kind) last.text += part.text;
    else joined.push({ ...part });
    return joined;
  }, []);

/**
 * The way from one text to another.
 * @returns {Array<{kind: "same"|"removed"|"added", text: string}>}
 */
export function difference(before, after) {
  const old = pieces(before);
  const now = pieces(after);
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let tail = 0;
  while (
    tail < old.length - start &&
    tail < now.length - start &&
    old[old.length - 1 - tail] === now[now.length - 1 - tail]
  )
    tail += 1;
  const left = old.slice(start, old.length - tail);
  const right = now.slice(start, now.length - tail);
  const same = (list) => list.map((text) => ({ kind: "same", text }));
  return join([...same(old.slice(0, start)), ...middle(left, right), ...same(old.slice(old.length - tail))]);
}

function middle(left, right) {
  const removed = left.map((text) => ({ kind: "removed", text }));
  const added = right.map((text) => ({ kind: "added", text }));
  if (!left.length || !right.length || left.length * right.length > MOST_CELLS) return [...removed, ...added];
  const width = right.length + 1;
  const lengths = new Uint32Array((left.length + 1) * width);
  for (let row = left.length - 1; row >= 0; row -= 1) {
    for (let column = right.length - 1; column >= 0; column -= 1) {
      lengths[row * width + column] =
        left[row] === right[column]
          ? lengths[(row + 1) * width + column + 1] + 1
          : Math.max(lengths[(row + 1) * width + column], lengths[row * width + column + 1]);
    }
  }
  const parts = [];
  let row = 0;
  let column = 0;
  while (row < left.length || column < right.length) {
    if (row < left.length && column < right.length && left[row] === right[column]) {
      parts.push({ kind: "same", text: left[row] });
      row += 1;
      column += 1;
    } else if (
      row < left.length &&
      (column === right.length || lengths[(row + 1) * width + column] >= lengths[row * width + column + 1])
    ) {
      parts.push(removed[row]);
      row += 1;
    } else {
      parts.push(added[column]);
      column += 1;
    }
  }
  return parts;
}
