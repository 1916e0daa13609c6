import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleWorkflowCode, type WorkflowBundle } from '@temporalio/worker'
import { FAILURE_CONVERTER, WORKFLOW_INTERCEPTORS } from '#config/temporal.ts'

const WORKFLOWS = fileURLToPath(new URL('../workflows/index.ts', import.meta.url))

/** Bundles the workflow code as the worker runs it. */
export function bundleWorkflows(): Promise<WorkflowBundle> {
  return bundleWorkflowCode({
    workflowsPath: WORKFLOWS,
    workflowInterceptorModules: [WORKFLOW_INTERCEPTORS],
    failureConverterPath: FAILURE_CONVERTER,
  })
}

/** Writes the bundle to a file, whole or not at all. */
export async function buildWorkflowBundle(file: string): Promise<void> {
  const { code } = await bundleWorkflows()
  await mkdir(dirname(file), { recursive: true })
  const unfinished = `${file}.${process.pid}`
  await writeFile(unfinished, withoutSources(code))
  await rename(unfinished, file)
}

/** Workflow threads keep the bundle in memory, which needs no sources. */
function withoutSources(code: string): string {
  const at = code.lastIndexOf('base64,') + 'base64,'.length
  const map = JSON.parse(Buffer.from(code.slice(at), 'base64').toString()) as { sourcesContent?: unknown }
  delete map.sourcesContent
  return code.slice(0, at) + Buffer.from(JSON.stringify(map)).toString('base64')
}

if (import.meta.main) await buildWorkflowBundle(process.argv[2] ?? 'dist/workflows.js')
