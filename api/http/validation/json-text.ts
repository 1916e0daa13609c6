import { visit, type JSONVisitor } from 'jsonc-parser'
import { withoutTokens } from '#contract/values/tokens.ts'
import { fault, type Fault } from '#contract/errors.ts'
import { causeAt } from './json-causes.ts'

const MAX_NAMED = 20
const MAX_KEY_SHOWN = 100

class Enough extends Error {}
class TooDeep extends Error {}

/** Where JSON is broken, and the likely mistake. Repeats nothing of the text: a secret may stand there. */
export function jsonFault(text: string, deepest: number): Fault {
  let found = ''
  const isWhole = lookThrough(text, deepest, {
    onError: (code, offset, length, line, character) => {
      // The first of two braces looks like an object.
      const back = text[offset - 1] === '{' && /[{%]/.test(text[offset] ?? '') ? 1 : 0
      const cause = causeAt(text, code, offset - back, length + back)
      found = `: line ${line + 1}, column ${character + 1 - back}: ${cause}`
      throw new Enough()
    },
  })
  if (!isWhole) found = `, and is nested deeper than ${deepest} levels`
  return fault([], 'invalid_json', `The body is not valid JSON${found}`)
}

/** In valid JSON: `JSON.parse` takes the last value, the sender may mean the first. */
export function repeatedKeys(text: string, deepest: number): Fault[] {
  const open: Set<string>[] = []
  const faults: Fault[] = []
  lookThrough(text, deepest, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty: (key, ...[, , line, character, pathOf]) => {
      const keys = open.at(-1)!
      if (keys.has(key)) {
        const shown = withoutTokens(key).slice(0, MAX_KEY_SHOWN)
        faults.push(
          fault(
            [...pathOf(), shown],
            'repeated_key',
            `${JSON.stringify(shown)} stands twice, again in line ${line + 1}, column ${character + 1}: send each field once`,
          ),
        )
      }
      if (faults.length >= MAX_NAMED) throw new Enough()
      keys.add(key)
    },
  })
  return faults
}

/** Strict JSON: no comments, no trailing commas. False where it is nested deeper than `deepest`. */
function lookThrough(text: string, deepest: number, visitor: JSONVisitor): boolean {
  let depth = 0
  const down = (): void => {
    if (++depth > deepest) throw new TooDeep()
  }
  const up = (): void => void (depth -= 1)
  const { onObjectBegin = () => {}, onObjectEnd = () => {} } = visitor
  const bounded: JSONVisitor = {
    ...visitor,
    onObjectBegin: (...at) => {
      down()
      onObjectBegin(...at)
    },
    onObjectEnd: (...at) => {
      up()
      onObjectEnd(...at)
    },
    onArrayBegin: down,
    onArrayEnd: up,
  }
  try {
    visit(text, bounded, { disallowComments: true })
  } catch (error) {
    if (error instanceof TooDeep) return false
    if (!(error instanceof Enough)) throw error
  }
  return true
}
