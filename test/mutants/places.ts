import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { REPOSITORY, repositoryFiles } from '#test/architecture/source-files.ts'
import { looksLikeSql, sqlChanges } from './sql-changes.ts'

/** One small change of a product file, found by its syntax. */
export interface Place {
  file: string
  start: number
  end: number
  replacement: string
  operator: string
  /** Runs when the file is loaded, and not when one of its functions is called. */
  isTopLevel: boolean
}

/** Where `npm test` has to notice nine of ten changes. */
const FOLDERS = ['domain/', 'activities/', 'workflows/', 'db/', 'api/hook/', 'api/group/', 'worker/feed/']
const LEFT_OUT = ['db/migrations/', 'db/engine/migrat']

interface Node {
  type: string
  start: number
  end: number
  [field: string]: unknown
}

/** Every place of the product that can be changed, in a stable order. */
export const findPlaces = (): Place[] =>
  repositoryFiles('.ts')
    .filter((file) => FOLDERS.some((folder) => file.startsWith(folder)))
    .filter((file) => !LEFT_OUT.some((part) => file.startsWith(part)))
    .flatMap((file) => placesOf(file, readFileSync(join(REPOSITORY, file), 'utf8')))

export function mutated(source: string, { start, end, replacement }: Place): string {
  return source.slice(0, start) + replacement + source.slice(end)
}

/** Some changes make no program: they do not count. */
export const isReadable = (place: Place): boolean => {
  const source = readFileSync(join(REPOSITORY, place.file), 'utf8')
  const text = mutated(source, place)
  return text !== source && parseSync(place.file, text).errors.length === 0
}

/** Every change of one file. */
export function placesOf(file: string, source: string): Place[] {
  const places: Place[] = []
  const textOf = ({ start, end }: Node): string => source.slice(start, end)
  const visit = (node: Node, parents: readonly Node[]): void => {
    if (isSkipped(node, textOf)) return
    const isTopLevel = !parents.some(({ type }) => FUNCTIONS.has(type) || type === 'PropertyDefinition')
    for (const change of changesOf(node, parents, textOf)) places.push({ file, isTopLevel, ...change })
    for (const child of childrenOf(node)) visit(child, [node, ...parents])
  }
  visit(parseSync(file, source, { preserveParens: false }).program as unknown as Node, [])
  return places
}

type Change = Pick<Place, 'start' | 'end' | 'replacement' | 'operator'>
type TextOf = (node: Node) => string

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])
const WITHOUT_TYPE = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'])
/** Texts for people and for dashboards: another test than one of the rule asks for them, if any. */
const NOTIFIED =
  /\b(log|logger|console|span|spans|counter|metrics?|histogram)\b|\.(observe|inc|setAttributes?)$/

const isSkipped = (node: Node, textOf: TextOf): boolean =>
  (node.type.startsWith('TS') && !WITHOUT_TYPE.has(node.type)) ||
  ['ImportDeclaration', 'ExportAllDeclaration'].includes(node.type) ||
  (node.type === 'CallExpression' && NOTIFIED.test(textOf(node['callee'] as Node)))

const childrenOf = (node: Node): Node[] =>
  Object.entries(node)
    .filter(([field]) => field !== 'parent' && !(['key', 'property'].includes(field) && !node['computed']))
    .flatMap(([, value]) => (Array.isArray(value) ? value : [value]))
    .filter((value): value is Node => typeof (value as Node | null)?.type === 'string')

function changesOf(node: Node, parents: readonly Node[], textOf: TextOf): Change[] {
  const change = (operator: string, replacement: string, { start, end } = node): Change[] => [
    { operator, replacement, start, end },
  ]
  const [parent] = parents
  switch (node.type) {
    case 'IfStatement': {
      const test = node['test'] as Node
      return [
        ...change('condition negated', `!(${textOf(test)})`, test),
        ...(node['alternate'] === null && leaves(node['consequent'] as Node)
          ? change('early end removed', ';')
          : []),
      ]
    }
    case 'ConditionalExpression':
    case 'WhileStatement': {
      const test = node['test'] as Node
      return change('condition negated', `!(${textOf(test)})`, test)
    }
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const [left, right] = [textOf(node['left'] as Node), textOf(node['right'] as Node)]
      if (node['operator'] === '+' && /['"`]/.test(left + right)) return []
      if (parent?.type === 'SpreadElement') return change('part left out', '{}')
      const others = OTHERS[node['operator'] as string] ?? []
      return others.flatMap((other) =>
        change(`${String(node['operator'])} to ${other}`, `(${left} ${other} ${right})`),
      )
    }
    case 'ExpressionStatement': {
      const expression = node['expression'] as Node
      const inner = expression.type === 'AwaitExpression' ? (expression['argument'] as Node) : expression
      const isEffect = ['CallExpression', 'AssignmentExpression', 'UpdateExpression'].includes(inner.type)
      if (!isEffect || (inner.type === 'CallExpression' && isSkipped(inner, textOf))) return []
      return /^super\b/.test(textOf(inner)) ? [] : change('statement removed', ';')
    }
    case 'CallExpression':
      return callChanges(node, textOf)
    case 'TemplateLiteral':
      return sqlChangesOf(node, textOf)
    case 'Literal':
      return literalChanges(node, parents, textOf)
    default:
      return []
  }
}

const OTHERS: Record<string, readonly string[]> = {
  '<': ['<=', '>'],
  '<=': ['<', '>'],
  '>': ['>=', '<'],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&'],
  '+': ['-'],
  '-': ['+'],
}

const ENDS = new Set(['ReturnStatement', 'ThrowStatement', 'ContinueStatement', 'BreakStatement'])
const leaves = (node: Node): boolean =>
  ENDS.has(node.type) ||
  (node.type === 'BlockStatement' && ENDS.has((node['body'] as Node[]).at(-1)?.type ?? ''))

const OTHER_METHODS: Record<string, string> = { some: 'every', every: 'some', min: 'max', max: 'min' }
const DROPPED = ['filter', 'slice', 'toReversed', 'toSorted']

/** Sums and bounds of decimals, which are texts. */
const ARITHMETIC = new Set(['add', 'subtract', 'multiply', 'divide', 'smaller', 'larger'])

function callChanges(node: Node, textOf: TextOf): Change[] {
  const callee = node['callee'] as Node
  const [first] = node['arguments'] as Node[]
  if (first && ARITHMETIC.has(textOf(callee)))
    return [{ operator: 'arithmetic dropped', replacement: textOf(first), start: node.start, end: node.end }]
  if (callee.type !== 'MemberExpression' || callee['computed']) return []
  const [object, property] = [callee['object'] as Node, callee['property'] as Node]
  const name = textOf(property)
  const other = OTHER_METHODS[name]
  if (other !== undefined)
    return [{ operator: `${name} to ${other}`, replacement: other, start: property.start, end: property.end }]
  if (!DROPPED.includes(name)) return []
  return [{ operator: `${name} dropped`, replacement: textOf(object), start: node.start, end: node.end }]
}

/** Larger numbers are limits of time and size, of which one more or less is no mistake. */
const LARGE = 100

function literalChanges(node: Node, [parent, grandparent]: readonly Node[], textOf: TextOf): Change[] {
  const { value, start, end } = node
  const change = (operator: string, replacement: string): Change[] => [{ operator, replacement, start, end }]
  if (typeof value === 'boolean') return change('boolean flipped', String(!value))
  if (typeof value === 'number' && value < LARGE) return change('number plus one', String(value + 1))
  if (typeof value !== 'string') return []
  if (looksLikeSql(value)) return sqlChangesOf(node, textOf)
  const isName =
    parent?.type === 'ExpressionStatement' ||
    parent?.type === 'PropertyDefinition' ||
    (parent?.type === 'CallExpression' && textOf(parent['callee'] as Node) === 'Symbol') ||
    grandparent?.type === 'TaggedTemplateExpression'
  return !isName && /^[A-Za-z][\w.-]*$/.test(value) ? change('text emptied', "''") : []
}

const sqlChangesOf = (node: Node, textOf: TextOf): Change[] =>
  looksLikeSql(textOf(node))
    ? sqlChanges(textOf(node)).map((change) => ({
        ...change,
        start: node.start + change.start,
        end: node.start + change.end,
      }))
    : []
