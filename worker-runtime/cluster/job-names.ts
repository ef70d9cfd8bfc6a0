/** The job names that TensorFlow's own cluster resolvers and examples give a meaning. */

/** The job that holds variables; its tasks compute little and take no GPU memory from the workers. */
export const PARAMETER_SERVER_JOB = "ps";
/** The job of the one worker that also initializes and saves, where it has a job of its own. */
export const CHIEF_JOB = "chief";
export const WORKER_JOB = "worker";
