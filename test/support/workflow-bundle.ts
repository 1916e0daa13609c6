import { fileURLToPath } from 'node:url'
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundle } from '@temporalio/worker'
import { FAILURE_CONVERTER, WORKFLOW_INTERCEPTORS } from '#config/temporal.ts'

const WORKFLOWS = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url))

/** Bundles workflow code without telling the test report about it. */
export const bundleQuietly = (workflowsPath = WORKFLOWS): Promise<WorkflowBundle> =>
  bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules: [WORKFLOW_INTERCEPTORS],
    failureConverterPath: FAILURE_CONVERTER,
    logger: new DefaultLogger('ERROR'),
  })

let bundle: Promise<WorkflowBundle> | undefined

/** The project's workflow code, bundled once a test run. */
export const workflowBundle = (): Promise<WorkflowBundle> => (bundle ??= bundleQuietly())
