/* A library that needs planted.dll, as CUDA's and TensorFlow's need others by their names alone. */
__declspec(dllimport) int planted(void);

__declspec(dllexport) int needed(void)
{
    return planted();
}
