import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import { formatted } from '#test/support/generated-pages.ts'
import { measureRooms, measureWhole, readSources, usesOfAvoided } from './measure.ts'
import { BOUNDED, changeOf, FALLING, nextRecord, raisedIn, type Figures, type SizeRecord } from './record.ts'
import { unimportedExports } from './unimported-exports.ts'

const HELP = `npm run size                        the size of the repository beside the values in size.json; fails where a value with * rose
npm run size -- --record            writes the present values to size.json
npm run size -- --record --why "…"  the same where a value with * rose, with the reason in one line
npm run size -- --exports           lists the exports that no product file imports
npm run size -- --words             lists the uses of words that docs/glossary.md replaces; their counts may only fall

Lines are those of .ts and .tsx files. The product without web is every room but web, client, deploy, bench and test. The walk is
the files in docs/build/one-signal.md. An export counts when no file outside test/ and bench/ imports it. The first load is index.html
with its scripts and styles, compressed; the web application is built when its sources have changed.`

const FILE = join(REPOSITORY, 'size.json')

type StoredRecord = SizeRecord & { rooms: Readonly<Record<string, Figures>> }

const { values } = parseArgs({
  options: {
    help: { type: 'boolean' },
    exports: { type: 'boolean' },
    words: { type: 'boolean' },
    record: { type: 'boolean' },
    why: { type: 'string', default: '' },
  },
})
if (values.help) console.log(HELP)
else if (values.exports) console.log(unimportedExports(readSources()).join('\n'))
else if (values.words) printWords()
else await measure()

async function measure(): Promise<void> {
  const record = JSON.parse(readFileSync(FILE, 'utf8')) as StoredRecord
  const sources = readSources()
  const rooms = measureRooms(sources)
  const figures = await measureWhole(sources)
  printRooms(record.rooms, rooms)
  console.log('')
  for (const [name, value] of Object.entries(figures)) {
    const why = record.why[name] === undefined ? '' : `  (${record.why[name]})`
    const mark = [...BOUNDED, ...FALLING].includes(name) ? ' *' : ''
    console.log(`${`${name}${mark}`.padEnd(42)} ${changeOf(record.figures[name], value)}${why}`)
  }
  if (!values.record) return judge(raisedIn(record, figures))
  const next = nextRecord(record, figures, values.why)
  if (next === null) return judge(raisedIn(record, figures))
  const text = JSON.stringify({ rooms: Object.fromEntries(rooms), ...next })
  writeFileSync(FILE, await formatted(FILE, text))
  console.log('\nsize.json holds these values now.')
}

function printRooms(before: StoredRecord['rooms'], rooms: ReadonlyMap<string, Figures>): void {
  const columns = Object.keys(rooms.values().next().value ?? {})
  console.log(`${'room'.padEnd(12)}${columns.map((column) => column.padEnd(30)).join('')}`.trimEnd())
  for (const [room, now] of rooms) {
    const cells = columns.map((column) => changeOf(before[room]?.[column], now[column] ?? null).padEnd(30))
    console.log(`${room.padEnd(12)}${cells.join('')}`.trimEnd())
  }
}

/** One line for each word in each area and file, with how often it is used there. */
function printWords(): void {
  const uses = Map.groupBy(
    usesOfAvoided(readSources()),
    ({ area, words, path }) => `${area}: ${words}: ${path}`,
  )
  for (const [use, { length }] of [...uses].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    console.log(length === 1 ? use : `${use} (${length})`)
}

function judge(raised: readonly string[]): void {
  if (raised.length === 0) return
  console.error(
    `\nHigher than size.json says: ${raised.join(', ')}. Shorten the change, or record the reason in one line: npm run size -- --record --why "…". Words to avoid never rise: npm run size -- --words lists them.`,
  )
  process.exitCode = 1
}
