import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { roomOf } from '#test/architecture/import-rules.ts'
import { REPOSITORY, repositoryFiles } from '#test/architecture/source-files.ts'
import { lastSeconds } from '#test/runner/last-run.ts'
import { filesOnPage, WALK_PAGE } from '#test/walk/page.ts'
import { builtApp } from '#test/web/built-app.ts'
import type { Figures } from './record.ts'
import { unimportedExports } from './unimported-exports.ts'
import { avoidedIn, countsOf, readGlossary, termsOf, type Use, usesOf } from './words.ts'

/** Rooms that are no part of "the product without web". */
const BESIDE = ['web', 'client', 'deploy', 'bench', 'test']
/** Tests in folders that are not named after a room. */
const NO_ROOM = 'no room'

/** The sources of the repository: path -> text. Recorded histories, and the programs beside them, are no part of it. */
export const readSources = (): Map<string, string> =>
  new Map(repositoryFiles('.ts', '.tsx').map((path) => [path, textOf(path)]))

const textOf = (path: string): string => readFileSync(join(REPOSITORY, path), 'utf8')

/** Files, lines, and lines of the tests in test/ROOM, by room: those with the most lines first, then the tests of no room. */
export function measureRooms(sources: ReadonlyMap<string, string>): Map<string, Figures> {
  const names = new Set([...sources.keys()].map(roomOf))
  names.delete('test')
  const testedBy = (path: string): string => {
    const [top, folder = ''] = path.split('/')
    return top !== 'test' ? '' : names.has(folder) ? folder : NO_ROOM
  }
  const rooms = [...names, NO_ROOM].map((name) => {
    const own = [...sources].filter(([path]) => roomOf(path) === name)
    const tests = [...sources].filter(([path]) => testedBy(path) === name)
    return [name, { files: own.length, lines: linesIn(own), 'lines of tests': linesIn(tests) }] as const
  })
  return new Map(rooms.toSorted(([, a], [, b]) => b.lines - a.lines))
}

/** The figures of the whole. Builds the web app, in some seconds, when its sources have changed since it was built. */
export async function measureWhole(sources: ReadonlyMap<string, string>): Promise<Figures> {
  const product = [...sources].filter(([path]) => !BESIDE.includes(roomOf(path)))
  const web = [...sources].filter(([path]) => roomOf(path) === 'web')
  const walked = filesOnPage(readFileSync(WALK_PAGE, 'utf8'))
  return {
    'files of the product without web': product.length,
    'lines of the product without web': linesIn(product),
    'lines of tests': linesIn([...sources].filter(([path]) => roomOf(path) === 'test')),
    'files of the walk': walked.length,
    'lines of the walk': linesIn([...sources].filter(([path]) => walked.includes(path))),
    'words of docs': sum(repositoryFiles('.md').map((path) => wordsOf(textOf(path)))),
    'words of comments': sum(product.map(wordsOfComments)),
    'words of comments of web': sum(web.map(wordsOfComments)),
    'terms of the glossary': termsOf(readGlossary()).length,
    ...countsOf(usesOfAvoided(sources)),
    'exports that no product file imports': unimportedExports(sources).length,
    'bytes of the first load of the web app': await firstLoad(),
    'seconds of the last whole npm test': lastSeconds(),
  }
}

/** Uses of words that the glossary replaces, in the sources and pages of the repository. */
export const usesOfAvoided = (sources: ReadonlyMap<string, string>): Use[] =>
  usesOf(
    avoidedIn(readGlossary()),
    sources,
    new Map(repositoryFiles('.md').map((path) => [path, textOf(path)])),
  )

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)
/** As `wc -l` counts them. */
const linesIn = (files: readonly [path: string, text: string][]): number =>
  sum(files.map(([, text]) => text.split('\n').length - 1))
/** As `wc -w` counts them. */
const wordsOf = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length
/** The marks of a comment are no words. */
const wordsOfComments = ([path, text]: [path: string, text: string]): number =>
  sum(parseSync(path, text).comments.map(({ value }) => wordsOf(value.replace(/^\s*\*/gm, ''))))

/** Bytes of the built page with the scripts and styles that it names, as they are sent: compressed with Brotli. */
async function firstLoad(): Promise<number> {
  await builtApp()
  const folder = join(REPOSITORY, 'web/dist')
  const page = readFileSync(join(folder, 'index.html'), 'utf8')
  const named = [...page.matchAll(/(?:src|href)="\/([^"]+\.(?:js|css))"/g)].map(([, path]) => path!)
  return sum(
    ['index.html', ...named].map((path) => {
      const compressed = join(folder, `${path}.br`)
      return statSync(existsSync(compressed) ? compressed : join(folder, path)).size
    }),
  )
}
