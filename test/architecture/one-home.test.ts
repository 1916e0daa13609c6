import assert from 'node:assert/strict'
import { productSyntax, syntaxOf, type Constant } from './product-syntax.ts'

/**
 * The words of a page of the web application are tables of that page, and are imported by its path: there only the names of figures
 * stand once.
 */
const isHeld = ({ path, isFigure }: Constant): boolean => isFigure || !path.startsWith('web/')

/** Each name with more than one home, and its homes; one of the web application counts where it is a figure. */
const secondHomes = (constants: readonly Constant[]): string[] =>
  [...Map.groupBy(constants.filter(isHeld), ({ name }) => name)]
    .filter(([, homes]) => homes.length > 1)
    .map(([name, homes]) => `${name}: ${homes.map(({ path }) => path).join(', ')}`)

describe('a constant of the product', () => {
  it('a constant of the product has one home: its name says of what it is and in which unit, and no other file declares it', () => {
    const { constants } = productSyntax()
    assert.ok(constants.length > 1_000, `${constants.length} were found`)
    assert.deepEqual(secondHomes(constants), [])
  })

  for (const [what, [first, ofFirst], [second, ofSecond], isRefused] of [
    ['a number', ['domain', '5_000'], ['web', '1_000'], true],
    ['a decimal in text', ['domain', "'10000000'"], ['web', "'10000000'"], true],
    ['a record of numbers', ['domain', '{ opg: 2 * MINUTE_MS } as const'], ['web', '600_000'], true],
    ['a list of words outside of the web application', ['db', "['FILL']"], ['api', "['FILL']"], true],
    ['a list of words', ['domain', "['FILL']"], ['web', "['FILL']"], false],
  ] as const)
    it(`a constant of the product that is ${what} is ${isRefused ? 'refused' : 'given'} a second home`, () => {
      const planted = [
        syntaxOf(`${first}/a.ts`, `const KINDS = ${ofFirst}`),
        syntaxOf(`${second}/b.ts`, `export const KINDS = ${ofSecond}`),
      ].flatMap(({ constants }) => constants)
      assert.deepEqual(secondHomes(planted), isRefused ? [`KINDS: ${first}/a.ts, ${second}/b.ts`] : [])
    })
})
