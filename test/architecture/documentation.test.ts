import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { z } from 'zod'
import {
  apiSettings,
  codecSettings,
  keySettings,
  localSettings,
  uiGateSettings,
  venueSettings,
  workerSettings,
} from '#config/env.ts'
import { PORT_SETTINGS } from '#local/start/ports.ts'
import { SCENARIOS } from '#bench/scenarios.ts'
import { SELECTIONS } from '#test/runner/selections.ts'
import { productFiles, read, REPOSITORY, repositoryFiles } from './source-files.ts'

const pages = repositoryFiles('.md')

/** Setting -> default as it is written in the environment; "" where there is none. */
type Defaults = Record<string, string>

/** What config/env.ts reads. A part that `npm start` replaces has the default of the process that needs it. */
function declaredSettings(): Defaults {
  const defaults: Defaults = {}
  for (const schema of [
    localSettings,
    apiSettings,
    workerSettings,
    venueSettings,
    codecSettings,
    uiGateSettings,
    keySettings,
  ]) {
    const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
    for (const [name, property] of Object.entries(properties)) {
      const fallback = typeof property === 'object' ? (property.default ?? '') : ''
      defaults[name] ||= typeof fallback === 'string' ? fallback : JSON.stringify(fallback)
    }
  }
  return defaults
}

/** The rows of the tables of a page that begin with a setting. */
function describedSettings(page: string): Defaults {
  const rows = read(page).matchAll(/^\| `([A-Z][A-Z0-9_]+)` \| (?:`([^`]*)`)? ?\|/gm)
  return Object.fromEntries([...rows].map(([, name, fallback = '']) => [name!, fallback]))
}

/** The anchors that headings make on GitHub. */
const anchorsOf = (page: string): string[] =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .trim()
      .replace(/\s/g, '-'),
  )

describe('the settings in the documentation', () => {
  it('the settings in the documentation are all that config/env.ts reads, with their defaults', () => {
    const byName = (settings: Defaults) => Object.entries(settings).toSorted(([a], [b]) => (a < b ? -1 : 1))
    assert.deepEqual(byName(describedSettings('docs/operate/running.md')), byName(declaredSettings()))
  })

  it('the ports in the documentation are those of npm start, with their places behind PORT_BASE', () => {
    const rows = read('docs/operate/running.md').matchAll(/^\| [^|]+ \| (\d+) \| \+ (\d+) \|/gm)
    const defaults = localSettings.parse({})
    assert.deepEqual(
      [...rows].map(([, port, place]) => [Number(port), Number(place)]),
      PORT_SETTINGS.map((setting, place) => [defaults[setting], place]),
    )
  })
})

describe('the documentation', () => {
  it('names only npm scripts that are there', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    const unknown = pages.flatMap((page) =>
      [...read(page).matchAll(/npm run ([\w:-]+)/g)]
        .filter(([, name]) => !Object.hasOwn(scripts, name!))
        .map(([command]) => `${page}: ${command}`),
    )
    assert.deepEqual(unknown, [])
  })

  it('names only parts of the tests and benchmarks that are there', () => {
    const known = { test: SELECTIONS, 'run bench': SCENARIOS }
    const unknown = repositoryFiles('.md', '.ts').flatMap((file) =>
      [...read(file).matchAll(/npm (test|run bench) -- ([a-z][a-z-]*)(?![\w/-])/g)]
        .filter(([, command, name]) => !Object.hasOwn(known[command as keyof typeof known], name!))
        .map(([command]) => `${file}: ${command}`),
    )
    assert.deepEqual(unknown, [])
  })

  it('links only to headings that are there', () => {
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\(([^)\s:]*)#([^)\s]+)\)/g)]
        .map(([, path, anchor]) => ({
          target: path === '' ? page : posix.join(posix.dirname(page), path!),
          anchor: anchor!,
        }))
        .filter(({ target, anchor }) => target.endsWith('.md') && !anchorsOf(target).includes(anchor))
        .map(({ target, anchor }) => `${page}: ${target}#${anchor}`),
    )
    assert.deepEqual(broken, [])
  })

  it('the documentation can be reached from the first page, every page of it', () => {
    const reached = new Set(['README.md'])
    for (const page of reached)
      for (const [, link] of read(page).matchAll(/\]\(([^)\s:#]+\.md|[^)\s:#]+\/)(?:#[^)\s]*)?\)/g)) {
        const target = posix.join(posix.dirname(page), link!)
        reached.add(target.endsWith('/') ? `${target}README.md` : target)
      }
    assert.deepEqual(
      pages.filter((page) => !reached.has(page)),
      [],
    )
  })

  it('shows every picture of the tree, at most sixteen of at most 200 KB', () => {
    const shown = pages.flatMap((page) =>
      [...read(page).matchAll(/!\[[^\]]+\]\(([^)\s]+)\)|<img\ssrc="([^"]+)"/g)].map(([, path, source]) =>
        posix.join(posix.dirname(page), (path ?? source)!),
      ),
    )
    // The icons of the web app are no part of it.
    const pictures = ['.png', '.svg', '.webp']
      .flatMap((ending) => repositoryFiles(ending))
      .filter((path) => !path.startsWith('web/'))
      .toSorted()
    assert.deepEqual([...new Set(shown)].toSorted(), pictures)
    assert.ok(
      pictures.length <= 16,
      'others belong into dist/pictures, where npm test -- pictures writes them',
    )
    for (const picture of pictures)
      assert.ok(statSync(join(REPOSITORY, picture)).size < 200_000, `${picture} is too large`)
  })
})

describe('docs/build/architecture.md', () => {
  const page = read('docs/build/architecture.md')

  it('describes every room, and no other', () => {
    const described = [...page.matchAll(/^\| `(\w+)\/` \|/gm)].map(([, room]) => room!)
    const rooms = readdirSync(REPOSITORY, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !/^\.|^(node_modules|dist)$/.test(entry.name))
      .map(({ name }) => name)
    assert.deepEqual(described.toSorted(), rooms.toSorted())
  })

  it('describes every table of the database, and no other', () => {
    const [, data = ''] = page.split('\n## Data\n')
    const described = [...data.split('\n## ')[0]!.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, names]) =>
      [...names!.matchAll(/`(\w+)`/g)].map(([, name]) => name!),
    )
    const migrations = repositoryFiles('.ts').filter((path) => path.startsWith('db/migrations/'))
    const made = migrations.flatMap((path) =>
      [...read(path).matchAll(/create (?:unlogged )?table (\w+)/g)].map(([, name]) => name!),
    )
    assert.deepEqual(described.toSorted(), made.toSorted())
  })

  it('names only functions that are there', () => {
    const defined = new Set(
      productFiles().flatMap((path) =>
        [...read(path).matchAll(/(?<=function\*? |const |async |^ +)\w+\b/gm)].map(([name]) => name),
      ),
    )
    const named = new Set([...page.matchAll(/`(\w+)\(\)`/g)].map(([, name]) => name!))
    assert.ok(named.size > 20, 'the functions were not found')
    assert.deepEqual(
      [...named].filter((name) => !defined.has(name)),
      [],
    )
  })
})
