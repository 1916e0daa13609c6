import { Client, Connection } from '@temporalio/client'
import { requiredTsToDate } from '@temporalio/common/lib/time.js'
import { connectionOptions, type TemporalSettings, GRPC_NOT_FOUND } from '#config/temporal-address.ts'
import type { Build, BuildState } from '#domain/roll-out.ts'
import { oncePossible } from './once-possible.ts'

/** How Temporal divides tasks among the builds of a deployment of workers. */
interface Routing {
  builds: Pick<Build, 'id' | 'state' | 'firstSeenAt'>[]
  /** Percent of the tasks that the ramping build takes; 0 where none ramps. */
  percent: number
}

/** The deployment of an installation's workers in Temporal. */
export interface DeploymentGateway {
  /** Null while no worker of the deployment has ever asked for tasks. */
  read(): Promise<Routing | null>
  /** Gives a build so many percent of the tasks, as soon as its workers ask for all kinds of them; null ends that. */
  ramp(buildId: string | null, percent: number): Promise<void>
  /** Gives a build all tasks, in the same way. */
  promote(buildId: string): Promise<void>
  close(): Promise<void>
}

/** Milliseconds for one question or change. */
const DEPLOYMENT_LIMIT_MS = 10_000

/** Connects when first used. */
export function createDeploymentGateway(
  settings: Omit<TemporalSettings, 'TEMPORAL_TASK_QUEUE'> & { WORKER_DEPLOYMENT: string },
): DeploymentGateway {
  const { TEMPORAL_NAMESPACE: namespace, WORKER_DEPLOYMENT: deploymentName } = settings
  const connection = Connection.lazy(connectionOptions(settings))
  const { workflowService } = new Client({ connection, namespace })
  const within = <T>(call: () => Promise<T>): Promise<T> =>
    connection.withDeadline(Date.now() + DEPLOYMENT_LIMIT_MS, call)
  const change = <T>(call: () => Promise<T>): Promise<T> =>
    oncePossible(DEPLOYMENT_LIMIT_MS, () => within(call))
  return {
    async read() {
      const answer = await within(() =>
        workflowService.describeWorkerDeployment({ namespace, deploymentName }),
      ).catch((error: unknown) => {
        if ((error as { code?: number }).code === GRPC_NOT_FOUND) return null
        throw error
      })
      if (!answer) return null
      const info = answer.workerDeploymentInfo
      const routing = info?.routingConfig
      const current = routing?.currentDeploymentVersion?.buildId
      const ramping = routing?.rampingDeploymentVersion?.buildId
      const stateOf = (id: string): BuildState =>
        id === current ? 'current' : id === ramping ? 'ramping' : 'idle'
      return {
        percent: ramping ? (routing?.rampingVersionPercentage ?? 0) : 0,
        builds: (info?.versionSummaries ?? []).flatMap(({ deploymentVersion, createTime }) => {
          const id = deploymentVersion?.buildId
          if (!id) return []
          const firstSeenAt = requiredTsToDate(createTime, 'createTime').toISOString()
          return [{ id, state: stateOf(id), firstSeenAt }]
        }),
      }
    },
    async ramp(buildId, percentage) {
      await change(() =>
        workflowService.setWorkerDeploymentRampingVersion({
          namespace,
          deploymentName,
          buildId: buildId ?? '',
          percentage,
        }),
      )
    },
    async promote(buildId) {
      await change(() =>
        workflowService.setWorkerDeploymentCurrentVersion({ namespace, deploymentName, buildId }),
      )
    },
    close: () => connection.close(),
  }
}
