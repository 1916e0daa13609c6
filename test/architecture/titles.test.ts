import assert from 'node:assert/strict'
import { read, repositoryFiles } from './source-files.ts'

/** With one of these in front a title is the rest of a sentence whose subject a list of failures does not show. */
const BARE = new Set(
  (
    'is are was were be been has have had does do did can could may might must should would will cannot of that which whose who ' +
    'whom with without by for from in at to on into onto than nor or not but and as under while when whenever because if where after ' +
    'before until unless since though although so only also even never still both it its they them their this these those he she ' +
    'against beside behind beyond through within among about between'
  ).split(' '),
)

const beginsBare = (title: string): boolean => BARE.has(title.split(/\s/)[0]!.replace(/[,:;]$/, ''))

/** How the titles of a file begin: their first words, as far as they are no expressions. */
const titlesIn = (file: string): string[] =>
  [...read(file).matchAll(/^\s*(?:for \(.*\) )?it\(\s*(['"`])((?:(?!\1|\$\{)[^\\\n]|\\.)*)/gm)].map(
    ([, , text]) => text!,
  )

describe('the titles of tests', () => {
  it('each title begins with its subject, so that it makes sense in a list of failures', () => {
    assert.ok(titlesIn('test/architecture/titles.test.ts').length === 2)
    const faults = repositoryFiles('.ts', '.tsx')
      .filter((file) => file.startsWith('test/'))
      .flatMap((file) =>
        titlesIn(file)
          .filter(beginsBare)
          .map((title) => `${file}: ${title}`),
      )
    assert.deepEqual(faults, [])
  })

  it('titles that begin with a verb, a preposition or a pronoun are found', () => {
    assert.deepEqual(
      ['is refused', 'with a limit, waits', 'an order without quantity is refused', 'an order waits'].filter(
        beginsBare,
      ),
      ['is refused', 'with a limit, waits'],
    )
  })
})
