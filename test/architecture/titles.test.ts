import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, Visitor, type Expression } from 'oxc-parser'
import { REPOSITORY, repositoryFiles } from './source-files.ts'

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

/** How the title reads up to its first expression. */
const textOf = (title: Expression): string =>
  title.type === 'Literal' && typeof title.value === 'string'
    ? title.value
    : title.type === 'TemplateLiteral'
      ? (title.quasis[0]!.value.cooked ?? '')
      : ''

function titlesIn(file: string): string[] {
  const titles: string[] = []
  const { program } = parseSync(file, readFileSync(join(REPOSITORY, file), 'utf8'))
  new Visitor({
    CallExpression: ({ callee, arguments: [title] }) => {
      if (callee.type === 'Identifier' && callee.name === 'it' && title && title.type !== 'SpreadElement')
        titles.push(textOf(title))
    },
  }).visit(program)
  return titles
}

describe('the titles of tests', () => {
  it('each title begins with its subject, so that it makes sense in a list of failures', () => {
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
