import { failsWithoutTools, ToolMissing, type LeftOut } from './left-out.ts'
import { remedyOf, TOOLS, type ToolName } from './tools.ts'

/** One line that names the tests that were left out, and how a person brings what they need; empty where there are none. */
export function closingLine(leftOut: LeftOut): string {
  const byRemedy = new Map<string, Map<string, number>>()
  for (const [name, count] of Object.entries(leftOut) as [ToolName, number][]) {
    const tests = byRemedy.get(remedyOf(name)) ?? new Map<string, number>()
    byRemedy.set(remedyOf(name), tests.set(TOOLS[name].tests, (tests.get(TOOLS[name].tests) ?? 0) + count))
  }
  if (byRemedy.size === 0) return ''
  const parts = [...byRemedy].map(
    ([remedy, tests]) =>
      `${[...tests].map(([words, count]) => `${countOf(count)} ${words}`).join(', ')} (${remedy})`,
  )
  return `  Left out on this machine: ${parts.join('; ')}`
}

/** Without a number where it is not known. */
function countOf(tests: number): string {
  if (tests === 0) return 'tests'
  return tests === 1 ? '1 test' : `${tests} tests`
}

/** The exit code of a program of tests that ends with an error, which it prints. */
export function codeOfFailure(error: unknown): number {
  if (!(error instanceof ToolMissing) || failsWithoutTools()) {
    console.error(error)
    return 1
  }
  console.log(`${error.message}\n${closingLine({ [error.tool]: 0 })}`)
  return 0
}
