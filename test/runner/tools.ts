import { closingLine } from '#test/support/closing-line.ts'
import { failsWithoutTools } from '#test/support/left-out.ts'
import { endTestRun } from '#test/support/test-run.ts'
import { fetchTools, tool, TOOL_NAMES, TOOLS } from '#test/support/tools.ts'

/**
 * Fetches every program that the checks of a merge need, so that the first test to ask for one does not wait for minutes,
 * and says where each is. Run by `npm test -- tools`.
 */
const needed = TOOL_NAMES.filter((name) => TOOLS[name].run !== 'none')
const missing: Record<string, number> = {}
try {
  await fetchTools(needed)
  for (const name of needed) {
    const path = await tool(name).catch(() => undefined)
    if (path === undefined) missing[name] = 0
    else console.log(`  ${name}: ${path}`)
  }
} finally {
  await endTestRun()
}
if (Object.keys(missing).length > 0) {
  console.log(closingLine(missing))
  process.exitCode = failsWithoutTools() ? 1 : 0
}
