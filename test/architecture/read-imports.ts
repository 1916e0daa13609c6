import { parseSync, Visitor, type Expression, type Program } from 'oxc-parser'
import { read } from './source-files.ts'

/** One place where a file names another module. */
export interface SourceImport {
  /** The module as written, such as `#domain/order/order.ts`. */
  specifier: string
  /** Erased before the program runs: `import type`, `export type ... from`, `import('...').Type`. */
  typeOnly: boolean
}

/** Stands for the name of a module that is only known when the program runs. */
export const COMPUTED = '<computed>'

const known = new Map<string, SourceImport[]>()

/** The imports of a file of the repository, which is parsed once. */
export function importsOf(path: string): SourceImport[] {
  const found = known.get(path) ?? readImports(path, read(path))
  known.set(path, found)
  return found
}

/**
 * Every import of a source text: static and dynamic imports, re-exports, type queries and `require`. Throws on a
 * syntax error.
 */
export function readImports(fileName: string, source: string): SourceImport[] {
  const parsed = parseSync(fileName, source)
  const { module, errors } = parsed
  if (errors.length > 0) throw new Error(`${fileName}: ${errors[0]!.message}`)
  const isTypeOnly = (start: number) => /^(import|export)\s+type\s+(?!from\b)/.test(source.slice(start))
  const found = module.staticImports.map(({ start, moduleRequest }) => ({
    specifier: moduleRequest.value,
    typeOnly: isTypeOnly(start),
  }))
  for (const { start, entries } of module.staticExports) {
    const specifier = entries.find(({ moduleRequest }) => moduleRequest)?.moduleRequest?.value
    if (specifier !== undefined) found.push({ specifier, typeOnly: isTypeOnly(start) })
  }
  // The syntax tree, which takes much longer, is made for the other ways only.
  if (/\b(import|require)\s*\(|\bimport\s+\w+\s*=/.test(source)) found.push(...callsIn(parsed.program))
  return found
}

function callsIn(program: Program): SourceImport[] {
  const found: SourceImport[] = []
  const add = (specifier: string, typeOnly: boolean): void => void found.push({ specifier, typeOnly })
  const addTarget = (target: Expression): void =>
    add(target.type === 'Literal' && typeof target.value === 'string' ? target.value : COMPUTED, false)
  new Visitor({
    ImportExpression: (node) => addTarget(node.source),
    TSImportType: (node) => add(node.source.value, true),
    TSImportEqualsDeclaration: (node) => {
      if (node.moduleReference.type === 'TSExternalModuleReference')
        add(node.moduleReference.expression.value, node.importKind === 'type')
    },
    CallExpression: (node) => {
      const argument = node.arguments[0]
      if (node.callee.type !== 'Identifier' || node.callee.name !== 'require' || !argument) return
      if (argument.type !== 'SpreadElement') addTarget(argument)
    },
  }).visit(program)
  return found
}
