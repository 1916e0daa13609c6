/** A change within the text of a statement, by its place in that text. */
export interface SqlChange {
  start: number
  end: number
  replacement: string
  operator: string
}

/** Whether a literal of the source holds SQL or a part of it. */
export const looksLikeSql = (text: string): boolean =>
  /\b(select|where|insert into|delete from|case when|coalesce|order by|is (not )?null|not exists)\b|\bupdate \w+.* set\b/.test(
    text,
  ) ||
  (/ (and|or) |^.?(left )?join /.test(text) && / (=|<>|in|>|<|>=|<=) /.test(text))

/** What a pattern finds in a statement, and what takes its place; nothing where that is empty. */
const SWAPS: readonly [operator: string, find: RegExp, replace: (found: string) => string][] = [
  [
    'SQL boundary',
    / (<=|>=|<|>) (?=\S)/g,
    (found) => (found.includes('=') ? found.replace('=', '') : `${found.trimEnd()}= `),
  ],
  ['SQL comparison', / (=|<>) (?!excluded)/g, (found) => (found === ' = ' ? ' <> ' : ' = ')],
  ['SQL order', /\b(asc|desc)\b/g, (found) => (found === 'asc' ? 'desc' : 'asc')],
  ['SQL null', /\bis (not )?null\b/g, (found) => (found === 'is null' ? 'is not null' : 'is null')],
  ['SQL exists', /\b(not )?exists(?= \()/g, (found) => (found === 'exists' ? 'not exists' : 'exists')],
  ['SQL extreme', /\b(greatest|least|min|max)(?=\()/g, (found) => EXTREMES[found]!],
  ['SQL condition dropped', /^\s*(and|or) .*$/gm, () => ''],
  ['SQL condition dropped', / (and|or) (?=\S)[^\n()]*?(?= and | or |\)|\n|$|`|')/g, () => ' '],
  ['SQL or', / (and|or) /g, (found) => (found === ' and ' ? ' or ' : ' and ')],
]
const EXTREMES: Record<string, string> = { greatest: 'least', least: 'greatest', min: 'max', max: 'min' }

/** Every change of a statement or a part of one; comments and the values of `set` are left alone. */
export function sqlChanges(text: string): SqlChange[] {
  const swaps = SWAPS.flatMap(([operator, find, replace]) =>
    [...text.matchAll(find)].map(({ 0: found, index }) => ({
      operator,
      start: index,
      end: index + found.length,
      replacement: replace(found),
    })),
  )
  return [...swaps, ...coalesces(text)].filter(
    ({ start, end, operator }) =>
      !isComment(text, start) &&
      !isInExpression(text, start) &&
      isBalanced(text.slice(start, end)) &&
      !(operator === 'SQL comparison' && isSetting(text, start)) &&
      !(operator.startsWith('SQL or') && /between \S+$/.test(text.slice(0, start))),
  )
}

/** `coalesce(a, b)` as `a`. */
function coalesces(text: string): SqlChange[] {
  return [...text.matchAll(/\bcoalesce\(/g)].flatMap(({ 0: opening, index }) => {
    let [depth, comma, end] = [1, -1, index + opening.length]
    for (; depth > 0 && end < text.length; end++) {
      if ('({['.includes(text[end]!)) depth += 1
      if (')}]'.includes(text[end]!)) depth -= 1
      if (depth === 1 && text[end] === ',' && comma === -1) comma = end
    }
    if (depth > 0 || comma === -1) return []
    const replacement = text.slice(index + opening.length, comma)
    return [{ operator: 'SQL coalesce dropped', start: index, end, replacement }]
  })
}

const isComment = (text: string, at: number): boolean =>
  text.slice(text.lastIndexOf('\n', at - 1) + 1, at).includes('--')

/** Within `${}`: that is no SQL. */
const isInExpression = (text: string, at: number): boolean => {
  const before = text.slice(0, at)
  return before.lastIndexOf('${') > before.lastIndexOf('}')
}

const isSetting = (text: string, at: number): boolean =>
  /\b(set|where|on|and|or|when|having|using|filter|select|then|else|not)\b(?!.*\b(set|where|on|and|or|when|having|using|filter|select|then|else|not)\b)/s.exec(
    text.slice(0, at),
  )?.[1] === 'set'

function isBalanced(text: string): boolean {
  let depth = 0
  for (const sign of text) {
    if (sign === '(' || sign === '{') depth += 1
    if (sign === ')' || sign === '}') depth -= 1
    if (depth < 0) return false
  }
  return depth === 0
}
