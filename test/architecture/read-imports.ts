import { parseSync, Visitor, type Expression } from 'oxc-parser'

/** One place where a file names another module. */
export interface SourceImport {
  /** The module as written, such as `#domain/order.ts`. */
  specifier: string
  /** Erased before the program runs: `import type`, `export type ... from`, `import('...').Type`. */
  typeOnly: boolean
}

/** Stands for the name of a module that is only known when the program runs. */
export const COMPUTED = '<computed>'

/**
 * Every import of a source text: static and dynamic imports, re-exports, type queries and `require`, read from
 * the syntax tree. Throws on a syntax error.
 */
export function readImports(fileName: string, source: string): SourceImport[] {
  const { program, errors } = parseSync(fileName, source)
  if (errors.length > 0) throw new Error(`${fileName}: ${errors[0]!.message}`)
  const found: SourceImport[] = []
  const add = (specifier: string, typeOnly: boolean): void => void found.push({ specifier, typeOnly })
  const addTarget = (target: Expression): void =>
    add(target.type === 'Literal' && typeof target.value === 'string' ? target.value : COMPUTED, false)
  new Visitor({
    ImportDeclaration: (node) => add(node.source.value, node.importKind === 'type'),
    ExportAllDeclaration: (node) => add(node.source.value, node.exportKind === 'type'),
    ExportNamedDeclaration: (node) => {
      if (node.source) add(node.source.value, node.exportKind === 'type')
    },
    ImportExpression: (node) => addTarget(node.source),
    TSImportType: (node) => add(node.source.value, true),
    TSImportEqualsDeclaration: (node) => {
      if (node.moduleReference.type === 'TSExternalModuleReference') {
        add(node.moduleReference.expression.value, node.importKind === 'type')
      }
    },
    CallExpression: (node) => {
      const argument = node.arguments[0]
      if (node.callee.type !== 'Identifier' || node.callee.name !== 'require' || !argument) return
      if (argument.type !== 'SpreadElement') addTarget(argument)
    },
  }).visit(program)
  return found
}
