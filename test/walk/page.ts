import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { roomOf, targetOf } from '#test/architecture/import-rules.ts'
import { readImports } from '#test/architecture/read-imports.ts'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import type { Walk } from './recording.ts'

/** The page that is written from the recorded walk of a signal. */
export const WALK_PAGE = join(REPOSITORY, 'docs/build/one-signal.md')

/** Names of functions that a file shows; the first are enough to find the place. */
const MAX_NAMES = 4

/** By rooms; reading begins at a root, and each file is followed by those of its section that it imports. */
const SECTIONS: readonly { rooms: readonly string[]; root?: string; title: string; says: string }[] = [
  {
    rooms: ['api', 'contract'],
    root: 'api/signal/routes.ts',
    title: 'The request is read, stored and answered',
    says: 'The route, its fields and their rules; the acceptance, which is one transaction; the start of the workflow.',
  },
  {
    rooms: ['workflows'],
    root: 'workflows/signal/workflow.ts',
    title: 'The workflow',
    says: 'The entry is decided, sent and followed; the exit is planned, waited for, sized, sent and followed; the signal is closed.',
  },
  {
    rooms: ['activities'],
    root: 'activities/index.ts',
    title: 'Each step has its effect',
    says: 'The activities ask ledger and broker, judge by the rules, and write down the outcome.',
  },
  {
    rooms: ['domain'],
    title: 'The rules',
    says: 'Pure functions: limits, sizes, times, statuses, sentences.',
  },
  { rooms: ['brokers'], title: 'The broker is asked', says: 'The port, and the adapter behind it.' },
  { rooms: ['db'], title: 'The ledger is read and written', says: 'All SQL, and how it is sent.' },
  {
    rooms: ['worker'],
    root: 'worker/feed/account-feed.ts',
    title: 'The order is followed',
    says: 'The feed of the account receives fills, stores them and notifies the workflow.',
  },
  { rooms: ['config', 'tracing'], title: 'Infrastructure', says: 'Keys, sealed payloads, traces.' },
]

/** The page: every file with a function that ran for the signal alone. */
export function walkPage({ own }: Walk): string {
  const imports = new Map([...own.keys()].map((file) => [file, walkedImports(file, own)]))
  const files = [...own.keys()].toSorted()
  const onTheWay = files.filter((file) => imports.get(file)!.length > 0)
  const borders = new Set(
    files.flatMap((file) =>
      imports
        .get(file)!
        .filter((target) => roomOf(target) !== roomOf(file))
        .map((target) => `${roomOf(file)} > ${roomOf(target)}`),
    ),
  )
  const sections = SECTIONS.map(({ rooms, root, title, says }) => {
    const here = files.filter((file) => rooms.includes(roomOf(file)))
    const lines = inReadingOrder(here, root, imports).map((file) => `- ${lineOf(file, own.get(file)!)}`)
    return `## ${title}\n\n${says}\n\n${lines.join('\n')}`
  })
  return `# One signal, walked

Recorded from the default installation by \`npm run docs -- walk\`: a webhook with a market entry and an exit by time, from the
request until the exit has filled. Listed is every file with a function that ran for the signal and for nothing else: neither
without a signal nor for other requests. A file comes before those that it imports.

| | files | lines |
|---|---|---|
| with a function of the signal's own | ${files.length} | ${linesOf(files)} |
| of these on the way: they pass the signal to another of them | ${onTheWay.length} | ${linesOf(onTheWay)} |

They cross ${borders.size} borders between rooms. The same story in words is in
[architecture.md](architecture.md#one-signal-from-top-to-bottom); what is written when, and what follows a failure, is in
[signals.md](../guide/signals.md).

${sections.join('\n\n')}
`
}

/** The files that the page lists. */
export const filesOnPage = (page: string): string[] =>
  [...page.matchAll(/^- \[[^\]]+\]\(\.\.\/\.\.\/([^)]+)\)/gm)].map(([, file]) => file!)

const textOf = (file: string): string => readFileSync(join(REPOSITORY, file), 'utf8')

const linesOf = (files: readonly string[]): string =>
  files.reduce((sum, file) => sum + textOf(file).split('\n').length - 1, 0).toLocaleString('en')

const walkedImports = (file: string, walked: ReadonlyMap<string, unknown>): string[] => {
  const targets = readImports(file, textOf(file))
    .filter(({ typeOnly }) => !typeOnly)
    .map(({ specifier }) => targetOf(file, specifier))
  return [...new Set(targets.filter((target) => target !== null && walked.has(target)))] as string[]
}

function inReadingOrder(
  files: readonly string[],
  root: string | undefined,
  imports: ReadonlyMap<string, readonly string[]>,
): string[] {
  const order = new Set<string>()
  const visit = (file: string): void => {
    if (order.has(file) || !files.includes(file)) return
    order.add(file)
    imports.get(file)!.forEach(visit)
  }
  for (const file of [...(root === undefined ? [] : [root]), ...files]) visit(file)
  return [...order]
}

/** The file with the exported names that ran, and the first sentence about the first of them. */
function lineOf(file: string, ran: ReadonlySet<number>): string {
  const exported = exportsOf(file)
  const used = exported.filter(({ start, end }) => [...ran].some((at) => at >= start && at < end))
  const shown = used.length > 0 ? used : exported
  const says = shown.find(({ comment }) => comment !== '')?.comment ?? ''
  const names = used
    .slice(0, MAX_NAMES)
    .map(({ name }) => `\`${name}\``)
    .join(', ')
  const about = [names, says].filter((part) => part !== '').join(': ')
  return `[${file}](../../${file})${about === '' ? '' : ` ${about}`}`
}

interface Exported {
  name: string
  comment: string
  start: number
  end: number
}

function exportsOf(file: string): Exported[] {
  const text = textOf(file)
  const { program, comments } = parseSync(file, text)
  return program.body.flatMap((node): Exported[] => {
    if (node.type !== 'ExportNamedDeclaration' || node.exportKind === 'type' || !node.declaration) return []
    const { declaration } = node
    const named =
      'declarations' in declaration
        ? declaration.declarations[0]!.id
        : 'id' in declaration
          ? declaration.id
          : null
    if (named?.type !== 'Identifier') return []
    const before = comments.findLast(({ end }) => end <= node.start)
    const isAbout = before?.type === 'Block' && text.slice(before.end, node.start).trim() === ''
    return [
      {
        name: named.name,
        comment: isAbout ? firstSentence(before.value) : '',
        start: node.start,
        end: node.end,
      },
    ]
  })
}

/** The first sentence about a function, or its part before a colon or semicolon. */
const firstSentence = (comment: string): string => {
  const text = comment
    .replace(/^\*|^\s*\* ?/gm, '')
    .replace(/\n\s*\n[^]*|^\s*@[^]*/m, '')
    .replace(/\{@link (\w+)[^}]*\}/g, '$1')
    .replace(/ \([^)]*\)/g, '')
    .replace(/\s+/g, ' ')
    .trim()
  // A comment that begins with a parameter says nothing about the function.
  return text.startsWith('`') ? '' : (/^.*?(?=[.:;](?: |$))/.exec(text)?.[0] ?? text).replaceAll('<', '&lt;')
}
