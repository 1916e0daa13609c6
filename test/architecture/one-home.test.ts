import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, type Expression, type PrivateIdentifier, type SpreadElement } from 'oxc-parser'
import { REPOSITORY, repositoryFiles } from './source-files.ts'

/** A constant of a module, written in capitals. */
interface Constant {
  name: string
  path: string
  /** Made of numbers alone: `5_000`, `'0.01'`, `{ first: 1, most: 30 }`, `2 * MINUTE_MS`. */
  isFigure: boolean
}

/**
 * The words of a page of the web application are tables of that page, and are imported by its path: there only the names of figures
 * stand once. Benchmarks measure the service and are no part of it.
 */
const isHeld = ({ path, isFigure }: Constant): boolean => isFigure || !path.startsWith('web/')
const isProduct = (path: string): boolean => !/^(test|bench)\//.test(path)

function constantsOf(path: string, source: string): Constant[] {
  const statements = parseSync(path, source).program.body
  return statements
    .map((statement) => (statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement))
    .flatMap((declared) => (declared?.type === 'VariableDeclaration' ? declared.declarations : []))
    .flatMap(({ id, init }) =>
      id.type === 'Identifier' && /^[A-Z][A-Z0-9_]*$/.test(id.name)
        ? [{ name: id.name, path, isFigure: init !== null && isFigure(init) }]
        : [],
    )
}

function isFigure(value: Expression | PrivateIdentifier | SpreadElement | null): boolean {
  if (value === null) return false
  const { type } = value
  if (type === 'Literal')
    return (
      typeof value.value === 'number' ||
      (typeof value.value === 'string' && /^-?\d+(\.\d+)?$/.test(value.value))
    )
  if (type === 'Identifier') return /_(MS|SECONDS|MINUTES|DAYS|BYTES|PLACES)$/.test(value.name)
  if (type === 'MemberExpression') return isFigure(value.object)
  if (type === 'UnaryExpression') return isFigure(value.argument)
  if (type === 'BinaryExpression') return isFigure(value.left) && isFigure(value.right)
  if (type === 'TSAsExpression' || type === 'TSSatisfiesExpression') return isFigure(value.expression)
  if (type === 'ArrayExpression') return value.elements.length > 0 && value.elements.every(isFigure)
  if (type !== 'ObjectExpression' || value.properties.length === 0) return false
  return value.properties.every((each) => each.type === 'Property' && isFigure(each.value))
}

/** Each name with more than one home, and its homes; one of the web application counts where it is a figure. */
function secondHomes(constants: readonly Constant[]): string[] {
  return [...Map.groupBy(constants.filter(isHeld), ({ name }) => name)]
    .filter(([, homes]) => homes.length > 1)
    .map(([name, homes]) => `${name}: ${homes.map(({ path }) => path).join(', ')}`)
}

describe('a constant of the product', () => {
  const constants = repositoryFiles('.ts', '.tsx')
    .filter(isProduct)
    .flatMap((path) => constantsOf(path, readFileSync(join(REPOSITORY, path), 'utf8')))

  it('a constant of the product has one home: its name says of what it is and in which unit, and no other file declares it', () => {
    assert.ok(constants.length > 1_000, `${constants.length} were found`)
    assert.deepEqual(secondHomes(constants), [])
  })

  for (const [what, first, second] of [
    ['a number', 'const GRACE_MS = 5_000', 'export const GRACE_MS = 1_000'],
    ['a decimal in text', "const MAX_PRICE = '10000000'", "const MAX_PRICE = '10000000'"],
    ['a record of numbers', 'const CUT_OFF = { opg: 2 * MINUTE_MS } as const', 'const CUT_OFF = 600_000'],
  ] as const)
    it(`a constant of the product is refused a second home in the web application where it is ${what}`, () => {
      const planted = [...constantsOf('domain/a.ts', first), ...constantsOf('web/b.ts', second)]
      assert.equal(secondHomes(planted).length, 1)
    })

  it('a constant of the product is refused a second home outside of the web application whatever it is', () => {
    const planted = ['db/a.ts', 'api/b.ts'].flatMap((path) => constantsOf(path, "const KINDS = ['FILL']"))
    assert.deepEqual(secondHomes(planted), ['KINDS: db/a.ts, api/b.ts'])
  })
})
