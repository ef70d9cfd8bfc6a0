/* A program, or with -DLIBRARY a library, that writes its own path into ran.txt beside it once it is run or loaded. */
#include <windows.h>
#include <stdio.h>
#include <string.h>

static void tell(HINSTANCE module)
{
    char own[MAX_PATH], list[MAX_PATH];
    FILE *file;
    if (GetModuleFileNameA(module, own, MAX_PATH) == 0)
        return;
    strcpy(list, own);
    strcpy(strrchr(list, '\\') + 1, "ran.txt");
    file = fopen(list, "a");
    if (file == NULL)
        return;
    fprintf(file, "%s\n", own);
    fclose(file);
}

#ifdef LIBRARY
BOOL WINAPI DllMain(HINSTANCE module, DWORD reason, LPVOID reserved)
{
    if (reason == DLL_PROCESS_ATTACH)
        tell(module);
    return TRUE;
}

__declspec(dllexport) int planted(void)
{
    return 1;
}
#else
int main(void)
{
    tell(NULL);
    return 1;
}
#endif
