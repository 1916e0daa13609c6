import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, Visitor, type Program } from 'oxc-parser'
import { roomOf } from '#test/architecture/import-rules.ts'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import { TOOLS } from './unimported-exports.ts'

export const GLOSSARY = 'docs/glossary.md'
/** More terms than a person reads before a first change are no glossary. */
export const MAX_TERMS = 60
const TITLES = /\b(?:it|describe|context)\(\s*(['"`])((?:(?!\1)[^\\]|\\.)*)\1/g

export const AREAS = ['names', 'comments', 'pages', 'titles', 'texts'] as const
type Area = (typeof AREAS)[number]

/** A word, or words, to avoid. */
export interface Avoided {
  words: string
  namesOnly: boolean
}

/** One use of a word to avoid. */
export interface Use {
  area: Area
  words: string
  /** Path of the file; a name has the first file that uses it. */
  path: string
}

/** Rows of the tables of the glossary under a heading, without its first row, as cells. */
const rowsUnder = (page: string, heading: string): string[][] =>
  (page.split(`\n## ${heading}\n`)[1] ?? '')
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )

export const termsOf = (page: string): string[] => rowsUnder(page, 'Terms').map(([term]) => term!)

/** The third column of the terms, and the first of the everyday words. */
export const avoidedIn = (page: string): Avoided[] =>
  [
    ...rowsUnder(page, 'Terms').map(([, , cell]) => cell!),
    ...rowsUnder(page, 'Everyday words').map(([cell]) => cell!),
  ]
    .flatMap((cell) => cell.split(','))
    .map((word) => word.trim())
    .filter((word) => word !== '')
    .map((word) => ({ words: word.replaceAll('`', ''), namesOnly: word.startsWith('`') }))

/** Every use of a word to avoid in the sources (path -> text) and the pages. */
export function usesOf(
  avoided: readonly Avoided[],
  sources: ReadonlyMap<string, string>,
  pages: ReadonlyMap<string, string>,
): Use[] {
  const inText = matcher(avoided.filter(({ namesOnly }) => !namesOnly))
  const inNames = matcher(avoided)
  const uses: Use[] = []
  const note = (area: Area, path: string, text: string, find: RegExp): void => {
    for (const [words] of text.toLowerCase().matchAll(find)) uses.push({ area, path, words })
  }
  const names = new Map<string, string>()
  for (const [path, text] of sources) {
    if (roomOf(path) === 'test') {
      for (const [, , title] of text.matchAll(TITLES)) note('titles', path, title!, inText)
      continue
    }
    if (TOOLS.includes(roomOf(path))) continue
    const { program, comments } = parseSync(path, text)
    for (const { value } of comments) note('comments', path, plain(value), inText)
    names.set(path.split('/').at(-1)!.split('.')[0]!, path)
    const seen = contentOf(program)
    for (const name of seen.names) if (!names.has(name)) names.set(name, path)
    for (const part of seen.texts) note('texts', path, plain(part), inText)
  }
  for (const [name, path] of names) note('names', path, segmentsOf(name), inNames)
  for (const [path, text] of pages) if (path !== GLOSSARY) note('pages', path, plain(text), inText)
  return uses
}

export const readGlossary = (): string => readFileSync(join(REPOSITORY, GLOSSARY), 'utf8')

/** How often each area uses a word to avoid, under the name of the figure in size.json. */
export const countsOf = (uses: readonly Use[]): Record<string, number> =>
  Object.fromEntries(AREAS.map((area) => [figureOf(area), uses.filter((use) => use.area === area).length]))

export const figureOf = (area: Area): string => `words to avoid in ${area}`

/** Whole words in lower case, the longest first. */
const matcher = (avoided: readonly Avoided[]): RegExp => {
  const words = avoided.map(({ words }) => words).toSorted((a, b) => b.length - a.length)
  return new RegExp(`(?<![\\w-])(?:${words.join('|')})(?![\\w-])`, 'g')
}

/** Line breaks and the marks of comments are blanks: a phrase may go over a line. */
const plain = (text: string): string => text.replace(/\s*\n\s*\*?\s*/g, ' ')

/** `orderWishOf`, `order_wish-of` -> "order wish of". */
const segmentsOf = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_-]/g, ' ')
    .toLowerCase()

/** Names of a file, those of columns in SQL included, and its strings with more than one word that are no SQL. */
function contentOf(program: Program): { names: Set<string>; texts: string[] } {
  const names = new Set<string>()
  const texts: string[] = []
  const addText = (text: string): void => {
    const isSql = /\b(?:select|update|insert|delete|create|where|coalesce|jsonb?)\b/.test(text)
    if (isSql) for (const [column] of text.matchAll(/\b[a-z]+(?:_[a-z]+)+\b/g)) names.add(column)
    else if (text.trim().includes(' ')) texts.push(text)
  }
  new Visitor({
    Identifier: ({ name }) => void names.add(name),
    Literal: ({ value }) => {
      if (typeof value === 'string') addText(value)
    },
    JSXText: ({ value }) => addText(` ${value} `),
    TemplateElement: ({ value }) => addText(value.raw),
  }).visit(program)
  return { names, texts }
}
