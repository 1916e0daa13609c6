import { EXIT_TRIGGERS } from '#domain/exit/exit.ts'
import {
  parseSync,
  Visitor,
  type CallExpression,
  type Expression,
  type NewExpression,
  type PrivateIdentifier,
  type Program,
  type SpreadElement,
} from 'oxc-parser'
import { productFiles, read } from './source-files.ts'

/** A constant of a module, written in capitals. */
export interface Constant {
  name: string
  path: string
  /** Made of numbers alone: `5_000`, `'0.01'`, `{ first: 1, most: 30 }`, `2 * MINUTE_MS`. */
  isFigure: boolean
}

/** A regular expression of a source, as it is written there. */
export interface Pattern {
  path: string
  written: string
  /** Null where it is put together while the program runs. */
  pattern: RegExp | null
}

/** What the tests ask of the syntax tree of a source. */
interface Syntax {
  constants: Constant[]
  patterns: Pattern[]
  /** Comparisons with a name of a choice that a table answers. */
  comparisons: string[]
  /** Lines that ask for the current moment by `new Date()` or `Date()`, which the linter cannot tell from `new Date(instant)`. */
  clocks: string[]
}

/**
 * Choices that a table answers, each with the expressions that hold it. A comparison with one name has a branch for all other
 * names, which takes in a choice that is added later.
 */
const BY_TABLE: { names: readonly string[]; subject: RegExp }[] = [
  { names: EXIT_TRIGGERS, subject: /trigger(Type)?$/i },
]

let known: Syntax | undefined

/** The syntax of the product, each file of which is parsed and gone through once. */
export const productSyntax = (): Syntax =>
  (known ??= productFiles()
    .map((path) => syntaxOf(path, read(path)))
    .reduce((all, one) => ({
      constants: all.constants.concat(one.constants),
      patterns: all.patterns.concat(one.patterns),
      comparisons: all.comparisons.concat(one.comparisons),
      clocks: all.clocks.concat(one.clocks),
    })))

export function syntaxOf(path: string, source: string): Syntax {
  const { program } = parseSync(path, source)
  const found: Syntax = { constants: constantsOf(path, program), patterns: [], comparisons: [], clocks: [] }
  const textOf = ({ start, end }: { start: number; end: number }) => source.slice(start, end)
  const call = (node: NewExpression | CallExpression): void => {
    if (node.callee.type !== 'Identifier') return
    if (node.callee.name === 'RegExp') found.patterns.push({ path, written: textOf(node), pattern: null })
    if (node.callee.name === 'Date' && node.arguments.length === 0)
      found.clocks.push(`${path}:${source.slice(0, node.start).split('\n').length}`)
  }
  new Visitor({
    Literal: (node) => {
      if (!('regex' in node)) return
      const pattern = new RegExp(node.regex.pattern, node.regex.flags)
      found.patterns.push({ path, written: textOf(node), pattern })
    },
    NewExpression: call,
    CallExpression: call,
    BinaryExpression: ({ operator, left, right, start, end }) => {
      if (!/^[!=]==?$/.test(operator)) return
      const isWith = (one: Expression | PrivateIdentifier, other: Expression | PrivateIdentifier): boolean =>
        one.type === 'Literal' &&
        BY_TABLE.some(
          ({ names, subject }) => names.includes(String(one.value)) && subject.test(textOf(other)),
        )
      if (isWith(left, right) || isWith(right, left))
        found.comparisons.push(`${path}: ${source.slice(start, end)}`)
    },
  }).visit(program)
  return found
}

const constantsOf = (path: string, { body }: Program): Constant[] =>
  body
    .map((statement) => (statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement))
    .flatMap((declared) => (declared?.type === 'VariableDeclaration' ? declared.declarations : []))
    .flatMap(({ id, init }) =>
      id.type === 'Identifier' && /^[A-Z][A-Z0-9_]*$/.test(id.name)
        ? [{ name: id.name, path, isFigure: isFigure(init) }]
        : [],
    )

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
